// Strict clients of each surface, as readers of answers: they throw where the official SDKs do, or where those would lose something.
import {
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  parseObject,
} from '../../src/protocols/wire/json.ts'
import type { Surface } from './servers.ts'

interface ReadCall {
  id: string
  name: string
  /** As JSON, with its keys in their order. */
  arguments: string
}

/** One candidate, in the terms of all protocols. */
interface ReadCandidate {
  text: string
  thinking: string
  calls: ReadCall[]
  stop: string
}

export interface ReadAnswer {
  id: Json
  model: Json
  candidates: ReadCandidate[]
}

export const READERS: Readonly<Record<Surface, (text: string, stream: boolean) => ReadAnswer>> = {
  chat: (text, stream) => (stream ? readChatStream(eventsOf(text)) : readChat(parsed(text))),
  messages: (text, stream) => (stream ? readMessageStream(eventsOf(text)) : readMessage(parsed(text))),
  native: (text, stream) => readNative(stream ? eventsOf(text) : [parsed(text)]),
  responses: (text, stream) => (stream ? readResponseStream(eventsOf(text)) : readResponse(parsed(text))),
  completions: (text, stream) => readCompletions(stream ? eventsOf(text) : [parsed(text)]),
}

function parsed(text: string): JsonObject {
  const value = parseObject(text)
  if (!value) throw new Error('the answer is no JSON object')
  return value
}

const eventsOf = (text: string): JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => parsed(line.slice('data: '.length)))

function must(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new Error(fault)
}
const text = (value: Json | undefined, at: string): string => {
  must(typeof value === 'string', `${at} is no text`)
  return value
}
const number = (value: Json | undefined, at: string): number => {
  must(typeof value === 'number', `${at} is no number`)
  return value
}

/** Fields that clients read, or act on; they ignore the rest. */
const READ = ['text', 'thinking', 'input', 'partial_json', 'name', 'arguments', 'call_id', 'summary', 'role']
const typed = (object: JsonObject, at: string): void =>
  must(
    typeof object.type === 'string' || READ.every((key) => (object[key] ?? null) === null),
    `${at} has no type`,
  )

/** As async-openai's types and openai-node's ChatCompletionStream demand it. */
function head(chunk: JsonObject): void {
  text(chunk.id, 'id')
  text(chunk.object, 'object')
  number(chunk.created, 'created')
  must(Array.isArray(chunk.choices), 'choices is no list')
}

const argumentsOf = (json: string): string => {
  const value = ['', 'null'].includes(json.trim()) ? {} : parseObject(json)
  return value ? JSON.stringify(value) : `not JSON: ${json}`
}

const contentText = (content: Json | undefined, key: string): string =>
  typeof content === 'string'
    ? key === 'text'
      ? content
      : ''
    : objectsIn(content)
        .map((part) => (typeof part[key] === 'string' ? part[key] : contentText(part[key], 'text')))
        .join('')

const thinkingOf = (message: JsonObject): string =>
  `${message.reasoning_content ?? message.reasoning ?? ''}${contentText(message.content, 'thinking')}`

function readChat(answer: JsonObject): ReadAnswer {
  head(answer)
  return {
    id: answer.id ?? null,
    model: answer.model ?? null,
    candidates: objectsIn(answer.choices).map((choice, at) => {
      must(number(choice.index, 'choices[].index') === at, 'choices[].index is another')
      const message = objectIn(choice.message)
      must(message.role === 'assistant', 'no role')
      return {
        text: `${contentText(message.content, 'text')}${message.refusal ?? ''}`,
        thinking: thinkingOf(message),
        calls: objectsIn(message.tool_calls).map(chatCall),
        stop: text(choice.finish_reason, 'finish_reason'),
      }
    }),
  }
}

function chatCall(call: JsonObject): ReadCall {
  must(call.type === 'function', 'a call without type')
  const { name, arguments: json } = objectIn(call.function)
  return {
    id: text(call.id, 'id of a call'),
    name: named(name),
    arguments: argumentsOf(text(json, 'arguments')),
  }
}

function named(name: Json | undefined): string {
  must(text(name, 'name of a call') !== '', 'a call without name')
  return text(name, 'name of a call')
}

interface ChatState {
  role: Json
  text: string
  thinking: string
  calls: { id: Json; type: Json; name: string; json: string }[]
  stop: Json
}

function readChatStream(events: JsonObject[]): ReadAnswer {
  const choices: ChatState[] = []
  for (const chunk of events) {
    head(chunk)
    for (const choice of objectsIn(chunk.choices)) {
      const index = number(choice.index, 'choices[].index')
      choices[index] ??= { role: null, text: '', thinking: '', calls: [], stop: null }
      const state = choices[index]
      must(isObject(choice.delta), 'no delta')
      const { delta } = choice
      state.role ??= delta.role ?? null
      state.text += `${contentText(delta.content, 'text')}${delta.refusal ?? ''}`
      state.thinking += thinkingOf(delta)
      for (const call of objectsIn(delta.tool_calls)) addChatPiece(state, call)
      state.stop ??= choice.finish_reason ?? null
    }
  }
  const [first = {}] = events
  return {
    id: first.id ?? null,
    model: first.model ?? null,
    candidates: choices.map(({ role, text: written, thinking, calls, stop }) => {
      must(role === 'assistant', 'no role')
      return {
        text: written,
        thinking,
        calls: calls.map(({ id, type, name, json }) =>
          chatCall({ id, type, function: { name, arguments: json } }),
        ),
        stop: text(stop, 'finish_reason'),
      }
    }),
  }
}

function addChatPiece(state: ChatState, piece: JsonObject): void {
  const index = number(piece.index, 'tool_calls[].index')
  const part = objectIn(piece.function)
  const known = state.calls[index]
  const call = known ?? { id: null, type: null, name: '', json: '' }
  state.calls[index] = call
  // As Python's SDK does: repeated values are joined.
  if (piece.id) call.id = `${call.id ?? ''}${piece.id}`
  call.type ??= piece.type ?? null
  call.name += part.name ?? ''
  must(
    part.arguments === undefined || part.arguments === null || typeof part.arguments === 'string',
    'arguments',
  )
  call.json += part.arguments ?? ''
}

function readMessage(message: JsonObject): ReadAnswer {
  must(message.type === 'message', 'no message')
  must(message.role === 'assistant', 'no role')
  const blocks = objectsIn(message.content)
  for (const block of blocks) typed(block, 'a block')
  const ofType = (type: string) => blocks.filter((block) => block.type === type)
  return {
    id: text(message.id, 'id'),
    model: message.model ?? null,
    candidates: [
      {
        text: ofType('text')
          .map((block) => text(block.text, 'text'))
          .join(''),
        thinking: ofType('thinking')
          .map((block) => text(block.thinking, 'thinking'))
          .join(''),
        calls: blocks
          .filter(({ type }) => type === 'tool_use')
          .map((block) => ({
            id: text(block.id, 'id of a call'),
            name: named(block.name),
            arguments: JSON.stringify(objectIn(block.input)),
          })),
        stop: text(message.stop_reason, 'stop_reason'),
      },
    ],
  }
}

/** As the SDK's MessageStream puts a message together. */
function readMessageStream(events: JsonObject[]): ReadAnswer {
  let message: JsonObject | undefined
  const blocks: { block: JsonObject; json: string }[] = []
  let has_stopped = false
  for (const event of events) {
    if (event.type === 'message_start') message = objectIn(event.message)
    else if (event.type === 'message_stop') has_stopped = true
    else if (event.type !== 'ping') must(message !== undefined, `${event.type} before message_start`)
    if (event.type === 'content_block_start') {
      must(number(event.index, 'index') === blocks.length, 'index is not that of the next block')
      blocks.push({ block: { ...objectIn(event.content_block) }, json: '' })
    } else if (event.type === 'content_block_delta')
      addBlockDelta(blocks[number(event.index, 'index')], event)
    else if (event.type === 'content_block_stop')
      must(blocks[number(event.index, 'index')] !== undefined, 'index')
    else if (event.type === 'message_delta') message = { ...message, ...objectIn(event.delta) }
  }
  must(has_stopped, 'no message_stop')
  return readMessage({
    ...message,
    content: blocks.map(({ block, json }) =>
      json === '' ? block : { ...block, input: parseObject(json) ?? { broken: json } },
    ),
  })
}

function addBlockDelta(known: { block: JsonObject; json: string } | undefined, event: JsonObject): void {
  must(known !== undefined, 'a delta of no block')
  const { block } = known
  const delta = objectIn(event.delta)
  typed(delta, 'a delta')
  if (delta.type === 'text_delta') block.text = `${block.text ?? ''}${text(delta.text, 'text')}`
  else if (delta.type === 'thinking_delta')
    block.thinking = `${block.thinking ?? ''}${text(delta.thinking, 'thinking')}`
  else if (delta.type === 'input_json_delta') known.json += text(delta.partial_json, 'partial_json')
}

function readNative(events: JsonObject[]): ReadAnswer {
  const candidates: ReadCandidate[] = []
  let id: Json = null
  let model: Json = null
  for (const event of events) {
    id ??= event.responseId ?? null
    model ??= event.modelVersion ?? null
    objectsIn(event.candidates).forEach((candidate) => {
      const index = typeof candidate.index === 'number' ? candidate.index : 0
      candidates[index] ??= { text: '', thinking: '', calls: [], stop: '' }
      const state = candidates[index]
      if (typeof candidate.finishReason === 'string') state.stop = candidate.finishReason
      for (const part of objectsIn(objectIn(candidate.content).parts)) {
        if (isObject(part.functionCall))
          state.calls.push({
            id: typeof part.functionCall.id === 'string' ? part.functionCall.id : '',
            name: typeof part.functionCall.name === 'string' ? part.functionCall.name : '',
            arguments: JSON.stringify(objectIn(part.functionCall.args)),
          })
        else if (typeof part.text === 'string')
          state[part.thought === true ? 'thinking' : 'text'] += part.text
      }
    })
    if (isObject(event.promptFeedback) && event.promptFeedback.blockReason !== undefined)
      candidates[0] ??= { text: '', thinking: '', calls: [], stop: 'SAFETY' }
  }
  must(candidates.length > 0, 'no candidate')
  return { id, model, candidates }
}

function readResponse(response: JsonObject): ReadAnswer {
  must(response.object === 'response', 'no response')
  const output = objectsIn(response.output)
  for (const item of output) typed(item, 'an item')
  const reasoning = output.filter(({ type }) => type === 'reasoning')
  return {
    id: text(response.id, 'id'),
    model: response.model ?? null,
    candidates: [
      {
        text: output
          .filter(({ type }) => type === 'message')
          .flatMap(({ content }) => objectsIn(content))
          .map((part) => {
            must(part.type === 'output_text' || part.type === 'refusal', `a part ${part.type}`)
            return text(part.text ?? part.refusal, 'text')
          })
          .join(''),
        thinking: reasoning
          .flatMap(({ summary, content }) => [...objectsIn(summary), ...objectsIn(content)])
          .map((part) => text(part.text, 'text'))
          .join(''),
        calls: output
          .filter(({ type }) => type === 'function_call')
          .map((item) => ({
            id: text(item.call_id, 'call_id'),
            name: named(item.name),
            arguments: argumentsOf(text(item.arguments, 'arguments')),
          })),
        stop: `${text(response.status, 'status')} ${JSON.stringify(response.incomplete_details ?? null)}`,
      },
    ],
  }
}

/** As the SDK's ResponseStream does, which looks each delta's item up by its output_index. */
function readResponseStream(events: JsonObject[]): ReadAnswer {
  const texts: string[] = []
  const items = new Set<number>()
  let last: JsonObject | undefined
  for (const event of events) {
    const type = text(event.type, 'type')
    if (type === 'response.output_item.added') items.add(number(event.output_index, 'output_index'))
    else if (type.endsWith('_text.delta') || type === 'response.refusal.delta') {
      const index = number(event.output_index, 'output_index')
      must(items.has(index), 'a delta of no item')
      if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
        texts.push(text(event.delta, 'delta'))
    } else if (type === 'response.completed' || type === 'response.incomplete')
      last = objectIn(event.response)
  }
  must(last !== undefined, 'no end')
  const answer = readResponse(last)
  const [candidate] = answer.candidates
  must(candidate?.text === texts.join(''), 'deltas and the whole differ')
  return answer
}

function readCompletions(events: JsonObject[]): ReadAnswer {
  const candidates: ReadCandidate[] = []
  for (const event of events) {
    head(event)
    for (const choice of objectsIn(event.choices)) {
      const index = number(choice.index, 'choices[].index')
      candidates[index] ??= { text: '', thinking: '', calls: [], stop: '' }
      candidates[index].text += text(choice.text, 'text')
      if (typeof choice.finish_reason === 'string') candidates[index].stop = choice.finish_reason
    }
  }
  for (const { stop } of candidates) must(stop !== '', 'no finish_reason')
  const [first = {}] = events
  return { id: first.id ?? null, model: first.model ?? null, candidates }
}
