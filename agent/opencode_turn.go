package agent

import (
	"encoding/json"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// sessionFile is what the plugin adds to the name of the file for the end of a turn, for the session's id.
const sessionFile = ".session"

// errorsVar names the variable with what begins the plugin's line about an error; without it there is none. By the
// protocol the client says what a server answered, but not with which status.
const errorsVar, errorsPrefix = "FERRUS_ERRORS", "ferrus: "

// plugin: the client loads it beside the human's own, and tells it of each event.
func (opencode) plugin() (name, text string) {
	return "ferrus.mjs", `import fs from "node:fs"
const file = process.env.FERRUS_TURN_END
const usage = process.env.FERRUS_USAGE
const prompt = process.env.FERRUS_PROMPT
const tells = process.env.FERRUS_ERRORS
const children = new Set()
const steps = new Map()
const count = (part) => {
  if (part?.type !== "step-finish" || !usage) return
  steps.set(part.id, part)
  const sum = { input: 0, cached: 0, output: 0, cost: 0 }
  for (const { tokens, cost } of steps.values()) {
    const cached = tokens?.cache?.read ?? 0
    sum.input += (tokens?.input ?? 0) + cached + (tokens?.cache?.write ?? 0)
    sum.cached += cached
    sum.output += (tokens?.output ?? 0) + (tokens?.reasoning ?? 0)
    sum.cost += cost ?? 0
  }
  fs.writeFileSync(usage + ".new", JSON.stringify(sum))
  fs.renameSync(usage + ".new", usage)
}
const events = async ({ event }) => {
  const { info, part, sessionID, status, error } = event.properties ?? {}
  count(part)
  if (info?.parentID) children.add(info.id)
  if (!sessionID || children.has(sessionID)) return
  if (tells && event.type === "session.error" && error?.data?.statusCode) {
    console.error(tells + JSON.stringify({ statusCode: error.data.statusCode, message: error.data.message }))
  }
  if (!file) return
  fs.writeFileSync(file + ".session", sessionID)
  if (event.type === "session.idle") fs.writeFileSync(file, sessionID + "\n")
  if (event.type === "session.status" && status?.type === "busy") fs.rmSync(file, { force: true })
}
const say = async (client) => {
  const { data } = await client.session.list()
  const own = (data ?? []).filter((s) => !s.parentID).sort((a, b) => b.time.updated - a.time.updated)
  const id = process.env.FERRUS_CONVERSATION || own[0]?.id
  if (id) await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: prompt }] } })
}
export const Ferrus = async ({ client }) => {
  if (prompt) setTimeout(() => say(client), 1000)
  return { event: events }
}
`
}

var opencodeID = lazyregexp.New(`^ses_[A-Za-z0-9]+$`)

// lastSession returns the id of a session on its own screen; of another, that it is the newest.
func (opencode) lastSession(s OwnScreen) string {
	if name := strings.TrimSpace(string(readSmall(s.TurnEnd() + sessionFile))); opencodeID.MatchString(name) {
		return name
	}
	return NewestConversation
}

// promptOf returns the variables with which the plugin passes a prompt to a session that continues: on
// its own screen the client does not accept one on its command line.
func (opencode) promptOf(l Launch, prompt string) []string {
	if !l.Interactive || l.Conversation == "" || l.Reports == "" || prompt == "" {
		return nil
	}
	env := []string{"FERRUS_PROMPT=" + prompt}
	if l.Conversation != NewestConversation {
		env = append(env, "FERRUS_CONVERSATION="+l.Conversation)
	}
	return env
}

// continuing returns the arguments that continue a session.
func (opencode) continuing(id string) []string {
	switch id {
	case "":
		return nil
	case NewestConversation:
		return []string{"--continue"}
	}
	return []string{"--session", id}
}

// writtenUsage returns what the plugin has added up.
func (opencode) writtenUsage(s OwnScreen) (used Usage) {
	var sum struct {
		Input, Cached, Output int
		Cost                  float64
	}
	if json.Unmarshal(readSmall(s.usage()), &sum) != nil {
		return Usage{}
	}
	used.add(sum.Input, sum.Cached, sum.Output)
	used.Cost, used.Priced = min(max(sum.Cost, 0), maxUsage), true
	return used
}

func (opencode) continuesSession() {}
