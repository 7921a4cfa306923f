// Responses with pictures, over scripted providers: text models of two protocols, image models, and what they are made to say.
import { beforeEach } from 'bun:test'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { PNG } from '../images/support.ts'
import { fileScene, type Scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Answer, type Script, type Seen, whole } from '../support/upstream.ts'

/** Text models: one behind chat completions, one behind responses. */
export const MODELS = { chat: 'over-chat', own: 'over-responses' } as const
export type Wire = keyof typeof MODELS
export const WIRES: readonly Wire[] = ['chat', 'own']
/** A text model whose price names the provider's own tool. */
export const PRICED = 'draws-itself'
export const PAINTER = 'painter'
export const OTHER_PAINTER = 'other-painter'

/** USD per million tokens: input 1, output 4. A picture costs 0.05, or 0.2 in high quality; the other painter's 0.07. */
const provider = (name: string, url: string, more: string) =>
  providerSection(name, 'openai', `${url}/${name}/v1`, `cooldown_ms = 0\n${more}`)
const text = (id: string, from: Wire, extras = '') =>
  modelSection(
    id,
    { [from]: id },
    { price: `input = 1, output = 4${extras}`, more: 'max_output_tokens = 4096' },
  )
const painter = (id: string, per_image: number) =>
  modelSection(
    id,
    { painters: id },
    { kind: 'image', price: `per_image = ${per_image}, variants = [{ quality = "high", per_image = 0.2 }]` },
  )

export const catalogue =
  (more = '', server = '') =>
  (url: string): string =>
    [
      `[server]\nlog_level = "debug"\n${server}`,
      provider('own', url, 'responses = true'),
      provider('chat', url, ''),
      provider('painters', url, ''),
      text(MODELS.chat, 'chat'),
      text(MODELS.own, 'own'),
      text(PRICED, 'own', ', extras = { image_generation = 0.1 }'),
      painter(PAINTER, 0.05),
      painter(OTHER_PAINTER, 0.07),
      more,
    ].join('\n')

/** What each turn of a text model is billed as. */
const INPUT_TOKENS = 100
const OUTPUT_TOKENS = 10
export const TURN_NANOS = INPUT_TOKENS * 1_000 + OUTPUT_TOKENS * 4_000
export const PICTURE_NANOS = 50_000_000
export const USAGE_OF = (turns: number) => ({
  input_tokens: INPUT_TOKENS * turns,
  output_tokens: OUTPUT_TOKENS * turns,
  total_tokens: (INPUT_TOKENS + OUTPUT_TOKENS) * turns,
})

export interface Call {
  name: string
  args: JsonObject
}
/** One turn of a text model: words, calls, or another answer. */
export type Turn = { says?: string; calls?: readonly Call[]; cut?: boolean } | Answer

export const draw = (prompt = 'a cat', more: JsonObject = {}): Turn => ({
  calls: [{ name: 'image_generation', args: { prompt, ...more } }],
})
export const say = (says: string): Turn => ({ says })

const asksForStream = ({ body }: Seen) => body.includes('"stream":true')
const isText = ({ path }: Seen) => /\/(?:responses|chat\/completions)$/.test(path)
export const isImage = ({ path }: Seen) => path.includes('/images/')

const sse = (events: readonly Json[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  steps: events.map((event) => ({
    send: `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
  })),
})

interface Words {
  says: string | undefined
  calls: readonly Call[]
  cut: boolean
}

let last_call = 0
const callIds = (calls: readonly Call[]) => calls.map((call) => ({ ...call, id: `call_${++last_call}` }))

function overChat({ says, calls, cut }: Words, streams: boolean): Answer {
  const usage = {
    prompt_tokens: INPUT_TOKENS,
    completion_tokens: OUTPUT_TOKENS,
    total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  }
  const finish_reason = cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  const tool_calls = callIds(calls).map(({ id, name, args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  const message = { role: 'assistant', content: says ?? null, ...(calls.length > 0 ? { tool_calls } : {}) }
  const base = { id: 'chatcmpl-1', created: 1, model: MODELS.chat }
  if (!streams)
    return whole({
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    })
  const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  return sse([
    chunk({ role: 'assistant', content: '' }),
    ...(says ?? '').split(/(?<= )/).map((content) => chunk({ content })),
    ...tool_calls.map((call) => chunk({ tool_calls: [call] })),
    chunk({}, finish_reason),
    { ...base, object: 'chat.completion.chunk', choices: [], usage },
    '[DONE]',
  ])
}

const REASONING = { id: 'rs_theirs', type: 'reasoning', summary: [], encrypted_content: 'gAAAAencrypted' }

function overResponses({ says, calls, cut }: Words, streams: boolean): Answer {
  const output: JsonObject[] = [
    REASONING,
    ...(says === undefined
      ? []
      : [
          {
            id: 'msg_theirs',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', annotations: [], logprobs: [], text: says }],
          },
        ]),
    ...callIds(calls).map(({ id, name, args }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ]
  const response: JsonObject = {
    id: 'resp_theirs',
    object: 'response',
    created_at: 1,
    status: cut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    model: MODELS.own,
    previous_response_id: null,
    store: false,
    tools: [{ type: 'function', name: 'image_generation' }],
    tool_choice: 'auto',
    output,
    usage: {
      input_tokens: INPUT_TOKENS,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
    },
  }
  if (!streams) return whole(response)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const events: JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap((item, output_index) => eventsOfItem(item, output_index)),
    { type: `response.${response.status}`, response },
  ]
  return sse(events.map((event, sequence_number) => ({ ...event, sequence_number })))
}

function eventsOfItem(item: JsonObject, output_index: number): JsonObject[] {
  const place = { item_id: item.id ?? null, output_index }
  const between: JsonObject[] =
    item.type === 'message'
      ? [{ type: 'response.output_text.delta', ...place, content_index: 0, delta: 'words' }]
      : item.type === 'function_call'
        ? [{ type: 'response.function_call_arguments.delta', ...place, delta: item.arguments ?? '' }]
        : []
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
    ...between,
    { type: 'response.output_item.done', output_index, item },
  ]
}

/** What the painters answer. */
export const paints = (bytes: Uint8Array = PNG): Answer =>
  whole({ created: 1, data: [{ b64_json: Buffer.from(bytes).toString('base64') }] })

/** Text models take these turns, the last of them again and again; painters do as they are told. */
export function telling(
  turns: readonly Turn[],
  images: Script = paints(),
): Extract<Script, (...seen: never) => unknown> {
  let at = 0
  return (seen, index) => {
    if (!isText(seen)) return typeof images === 'function' ? images(seen, index) : images
    const turn = turns[Math.min(at++, turns.length - 1)] ?? {}
    if ('steps' in turn) return turn
    const { says, calls = [], cut = false } = turn
    const write = seen.path.startsWith('/own/') ? overResponses : overChat
    return write({ says, calls, cut }, asksForStream(seen))
  }
}

export interface PictureScene extends Scene {
  /** What was asked of text models, and of painters, in order. */
  asked_texts(): JsonObject[]
  asked_images(): Seen[]
}

/** The scene of a file; its model draws a cat, and says so, unless a test tells it otherwise. */
export async function pictureScene(more = ''): Promise<PictureScene> {
  const scene = await fileScene({ catalogue: catalogue(more) })
  const { upstream } = scene
  let from = 0
  beforeEach(() => {
    from = upstream.seen.length
    upstream.answer(telling([draw(), say('A cat.')]))
  })
  const seen = () => upstream.seen.slice(from)
  return {
    ...scene,
    asked_texts: () =>
      seen()
        .filter(isText)
        .map(({ body }) => JSON.parse(body.toString())),
    asked_images: () => seen().filter(isImage),
  }
}
