package agent

// trial reports no statistics and looks for no update.
func (qwen) trial(_, url, _ string) Trial {
	return oneFile([]string{".qwen", "settings.json"}, `{"general":{"enableAutoUpdate":false},
"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"ui":{"enableFollowupSuggestions":false},
"memory":{"enableManagedAutoMemory":false,"enableManagedAutoDream":false},
"security":{"auth":{"selectedType":"`+compatibleAuth+`"}}}`,
		compatibleVar+"BASE_URL="+url+"/v1", compatibleVar+"API_KEY=dummy", compatibleVar+"MODEL=scripted",
		"QWEN_CODE_SUPPRESS_YOLO_WARNING=1", "QWEN_USAGE_STATISTICS_ENABLED=false")
}
