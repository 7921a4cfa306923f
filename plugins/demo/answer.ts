// Generation of the demo provider's answers: a tool call, a picture, JSON, a sentence about a tool result, or prose.
import type { Answer, Ask, Tool, ToolCall } from './ask.ts'
import type { Behaviour } from './endpoint.ts'
import { paintPicture } from './picture.ts'
import { valueFor } from './schema.ts'
import { countTokens, hashOf, type Random, randomOf, tokensOf, writeAbout } from './text.ts'

const IMAGE_TOKENS = 258
const PICTURE_TOKENS = 1_290

export async function answerTo(ask: Ask, behaviour: Behaviour): Promise<Answer> {
  const seed = `${ask.model}\n${ask.prompt}`
  const answer = { ...EMPTY, ...(await contentFor(ask, behaviour, randomOf(seed))) }
  const pictures = answer.pictures.length * PICTURE_TOKENS
  const output = pictures + answer.text.length + answer.calls.reduce((sum, call) => sum + callTokens(call), 0)
  const usage = { input: inputTokens(ask), images: ask.images.length * IMAGE_TOKENS, output, pictures }
  return { ...answer, id: hashOf(seed), usage }
}

type Content = Omit<Answer, 'id' | 'usage'>

const EMPTY: Content = { text: [], calls: [], pictures: [], partials: [], finish: 'stop' }

async function contentFor(ask: Ask, behaviour: Behaviour, random: Random): Promise<Partial<Content>> {
  if (behaviour.paints) return pictureAnswer(ask, random)
  const tool = toolFor(ask)
  if (!tool) return cut(textFor(ask, behaviour, random), ask)
  const args = valueFor(tool.schema ?? { type: 'object' }, ask.last_text, random, { is_sparing: true })
  const call = { id: hashOf(ask.prompt + tool.name), name: tool.name, args }
  // A call that exceeds the output limit is left out as a whole.
  return callTokens(call) <= ask.max_tokens ? { calls: [call] } : { finish: 'length' }
}

async function pictureAnswer(ask: Ask, random: Random): Promise<Partial<Content>> {
  const text = tokensOf('Here is your picture.').slice(0, ask.max_tokens)
  if (ask.max_tokens < PICTURE_TOKENS + text.length) return { text, finish: 'length' }
  const files: Pick<Content, 'pictures' | 'partials'>[] = []
  for (let at = 0; at < (ask.count ?? 1); at++) files.push(await paintPicture(ask, random))
  return {
    text,
    pictures: files.flatMap(({ pictures }) => pictures),
    partials: files.flatMap(({ partials }) => partials),
  }
}

/** Finds a tool that the prompt names, or whose name shares a word with it. Finds none after a tool result, so that an agent's loop ends. */
function toolFor({ tools, calling, results, last_text }: Ask): Tool | undefined {
  if (calling === 'none' || results.length > 0) return undefined
  const text = last_text.slice(0, 10_000)
  const words = new Set(wordsOf(text))
  return (
    tools.find(({ name }) => name !== '' && text.includes(name)) ??
    tools.find(({ name }) => wordsOf(name).some((word) => words.has(word) && !GENERIC_WORDS.has(word))) ??
    (calling === 'any' ? tools[0] : undefined)
  )
}

/** Words that say nothing about what a tool does. */
const GENERIC_WORDS = new Set('get set the and for tool function call use run current'.split(' '))

/** Splits a name into words in the singular: `get_weather` and `getWeathers` both give get, weather. */
const wordsOf = (text: string): string[] =>
  (text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? [])
    .map((word) => word.toLowerCase().replace(/(?<=..)s$/, ''))
    .filter((word) => word.length > 2)

const callTokens = ({ name, args }: ToolCall): number => countTokens(name + JSON.stringify(args))

function textFor(ask: Ask, { tokens }: Behaviour, random: Random): string[] {
  if (ask.json)
    return tokensOf(JSON.stringify(valueFor(ask.json.schema ?? { type: 'object' }, ask.last_text, random)))
  if (ask.results.length > 0) return tokensOf(`The tool returned: ${ask.results.join(' ')}`)
  const wanted = Math.min(tokens ?? random.between(20, 90), ask.max_tokens)
  const words = writeAbout(ask.last_text, wanted, random)
  return tokens === undefined ? words : words.slice(0, tokens)
}

/** Cuts a text at its first stop sequence and at the output limit. */
function cut(tokens: readonly string[], { stops, max_tokens }: Ask): Partial<Content> {
  const whole = tokens.join('')
  const [stop] = stops
    .filter((stopped_by) => stopped_by !== '' && whole.includes(stopped_by))
    .map((stopped_by) => ({ stopped_by, at: whole.indexOf(stopped_by) }))
    .sort((one, other) => one.at - other.at)
  const text = stop ? tokensOf(whole.slice(0, stop.at)) : tokens
  if (text.length > max_tokens) return { text: text.slice(0, max_tokens), finish: 'length' }
  return stop ? { text, stopped_by: stop.stopped_by } : { text }
}

/** Counts the tokens of the input, including tool declarations. */
export const inputTokens = ({ prompt, tools, images, media_tokens }: Ask): number =>
  Math.max(1, countTokens(prompt) + (tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0)) +
  images.length * IMAGE_TOKENS +
  media_tokens
