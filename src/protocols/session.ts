// The session of a request: the id that its client sends, else a fingerprint of the beginning of the conversation.
import { sessionOfClaudeCode, withoutBillingLine } from './claude-code.ts'
import { RECALLED, recalledOf } from './openai/responses/recalled.ts'
import { isObject, type Json, type JsonObject, stringIn } from './wire/json.ts'

/**
 * Headers with an id that stays the same for a conversation. Ids of single requests, such as `x-client-request-id`, are not among them.
 * Gemini CLI and Qwen Code send none (packages @google/gemini-cli-core 0.61 and @qwen-code/qwen-code 0.15).
 */
const HEADERS = [
  // Claude Code from 2.1.86 on: https://code.claude.com/docs/en/llm-gateway-protocol
  'x-claude-code-session-id',
  // Codex, in its newer and its older spelling: router-for-me/CLIProxyAPI issue 4452.
  'session-id',
  'session_id',
  // opencode: anomalyco/opencode pull request 31511; OpenRouter's clients: https://openrouter.ai/docs/features/prompt-caching
  'x-session-id',
  'x-session-affinity',
  'x-opencode-session',
]

/** The id in a request's headers; undefined if its client sends none. */
export function sessionInHeaders(headers: Headers): string | undefined {
  for (const name of HEADERS) {
    const id = headers.get(name)
    if (id) return id
  }
  return undefined
}

/**
 * The session of a body: the client's id if there is one, else a hash of the system prompt and the user's first message, which every
 * turn repeats.
 * @returns undefined if the body has no text
 */
export const sessionInBody = (body: JsonObject): string | undefined =>
  sessionOfClaudeCode(body.metadata) ??
  // OpenRouter and its clients.
  idIn(body.session_id) ??
  // OpenAI: requests with one key share a cache. Codex sends the id of its thread here.
  idIn(body.prompt_cache_key) ??
  fingerprintOf(body)

const idIn = (value: Json | undefined): string | undefined => stringIn(value) || undefined

/** Field names of the system prompt and of the conversation, in all protocols. */
const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction']
const CONVERSATIONS = ['messages', 'contents', 'input', 'prompt']

function fingerprintOf(body: JsonObject): string | undefined {
  const hash = new TextHash()
  for (const name of SYSTEM) hash.add(body[name])
  const recalled = body[RECALLED] === undefined ? [] : recalledOf(body).before
  if (!hash.addUntilUser(recalled))
    for (const name of CONVERSATIONS) {
      const conversation = body[name]
      if (!Array.isArray(conversation)) hash.add(conversation)
      else if (hash.addUntilUser(conversation)) break
    }
  return hash.texts === 0 ? undefined : `#${hash.value}`
}

/** Of a longer text only its two ends and its length are hashed: the hash need not be exact, but must cost next to nothing. */
const MAX_END_CHARS = 256

/** The first texts are enough to identify a conversation. */
const MAX_TEXTS = 100

/** A hash of texts only: cache marks move from turn to turn, and clients may turn a single text into a list of blocks. */
class TextHash {
  value = 0
  texts = 0

  /** Adds messages up to and including the user's first one. @returns whether a user's message was found */
  addUntilUser(messages: readonly Json[]): boolean {
    for (const message of messages) {
      this.add(message)
      if (isObject(message) && (message.role ?? 'user') === 'user') return true
    }
    return false
  }

  /** Adds a text, a part, a message, or a list of these. */
  add(value: Json | undefined): void {
    if (typeof value === 'string') this.#addText(withoutBillingLine(value))
    else if (Array.isArray(value)) for (const each of value) this.add(each)
    else if (isObject(value)) {
      this.add(value.text)
      this.add(value.content)
      this.add(value.parts)
    }
  }

  #addText(text: string): void {
    if (text === '' || this.texts === MAX_TEXTS) return
    this.texts += 1
    this.value = Bun.hash.xxHash32(text.slice(0, MAX_END_CHARS), this.value ^ text.length)
    if (text.length > MAX_END_CHARS)
      this.value = Bun.hash.xxHash32(
        text.slice(Math.max(MAX_END_CHARS, text.length - MAX_END_CHARS)),
        this.value,
      )
  }
}
