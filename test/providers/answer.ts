// The answers of simulated providers, which the request, its seed and the model's behaviour determine.
import type { Ask, Candidate, FunctionCall, PromptUsage, Reply } from './ask.ts'
import { type Behaviour, minEvents } from './behaviour.ts'
import { type PrefixCache, useOf } from './cache.ts'
import type { Canvas } from './canvas.ts'
import { drawPicture } from './picture.ts'
import { createRandom, type Random } from './random.ts'
import { argumentsFor, valueFor } from './schema.ts'
import { thinkAbout, writeAbout } from './text.ts'
import { countTokens, tokenize } from './tokens.ts'
import { chooseFunctions, filesIn } from './tool-choice.ts'

export const IMAGE_TOKENS = 258
export const PICTURE_TOKENS = 1_290
/** The size of every cached content in tokens; all of it is part of the prompt, and read from the cache. */
const CACHED_CONTENT_TOKENS = 4_096
/** A prompt that contains this word is blocked. */
export const BLOCKING_WORD = 'SIMULATE_BLOCK'

/** Text per event, where the model's name does not set the number of events. */
export const TOKENS_PER_EVENT = 8

/**
 * The whole answer to a question; delivery.ts sends it.
 *
 * @param images the pictures of the prompt, which a generated picture includes
 */
export function reply(
  ask: Ask,
  behaviour: Behaviour,
  cache: PrefixCache,
  images: readonly Canvas[] = [],
): Reply {
  const blocked = behaviour.block || ask.prompt.includes(BLOCKING_WORD)
  return {
    prompt: readPrompt(ask, behaviour, cache),
    candidates: blocked
      ? []
      : Array.from({ length: ask.candidate_count }, (_, index) => candidate(ask, behaviour, index, images)),
  }
}

function readPrompt(ask: Ask, behaviour: Behaviour, cache: PrefixCache): PromptUsage {
  const cached_content = ask.uses_cache ? CACHED_CONTENT_TOKENS : 0
  const text = Math.max(1, countTokens(ask.prompt) + countTokens(ask.declarations)) + cached_content
  const prompt = {
    text,
    image: ask.images * IMAGE_TOKENS,
    audio: ask.audio_tokens,
    document: ask.document_tokens,
    cached: behaviour.cache ? Math.max(cached_content, Math.floor(text / 2)) : cached_content,
    written_5m: 0,
    written_1h: 0,
  }
  return ask.cache_points.length === 0 ? prompt : { ...prompt, ...useOf(cache, ask, prompt) }
}

function candidate(ask: Ask, behaviour: Behaviour, index: number, images: readonly Canvas[]): Candidate {
  const random = createRandom(ask.seed, index, behaviour.base, ask.prompt)
  const thoughts = think(ask, behaviour, random)
  const room = ask.max_output_tokens - thoughts.length
  const calls = chooseCalls(ask, behaviour, random)
  if (calls.length > 0) return withCalls(thoughts, calls, room)
  if (behaviour.draws) return withPicture(ask, random, room, images)
  const written = write(ask, behaviour, random)
  const { text, ...ending } = cut(written, ask.stops, room)
  if (!behaviour.safety) return { thoughts, text, calls: [], pictures: [], ...ending }
  return {
    thoughts,
    text: text.slice(0, Math.ceil(text.length / 2)),
    calls: [],
    pictures: [],
    finish: 'safety',
  }
}

/** Thinking may use up the whole output limit, which leaves none for text (spec.md, Errors, note on thinking models). */
function think(ask: Ask, behaviour: Behaviour, random: Random): string[] {
  const wanted = random.between(24, 160)
  if (!behaviour.thinks || ask.thinking_budget === 0) return []
  const max = Math.min(ask.thinking_budget ?? wanted, ask.max_output_tokens)
  return thinkAbout(ask.last_text, wanted, random).slice(0, max)
}

/** In a loop of `calls-N` the last results ask for the next call, and each call is for the next file of the prompt. */
function chooseCalls(ask: Ask, { calls }: Behaviour, random: Random): FunctionCall[] {
  const { called_turns, last_text } = ask
  if (calls !== undefined && called_turns >= calls) return []
  const file = calls === undefined ? undefined : filesIn(last_text)[called_turns]
  return chooseFunctions(calls === undefined ? ask : { ...ask, results: [], parallel: false }).map(
    ({ name, schema }) => ({ name, args: argumentsFor(schema, random, last_text, file) ?? {} }),
  )
}

/** All calls fit into the room, or none is made. */
function withCalls(thoughts: string[], calls: FunctionCall[], room: number): Candidate {
  const fits = callTokens(calls) <= room
  return { thoughts, text: [], calls: fits ? calls : [], pictures: [], finish: fits ? 'stop' : 'length' }
}

function withPicture(ask: Ask, random: Random, room: number, images: readonly Canvas[]): Candidate {
  const text = tokenize('Here is your picture.').slice(0, Math.max(0, room))
  const fits = PICTURE_TOKENS + text.length <= room
  const order = { prompt: ask.prompt, shape: ask.aspect_ratio, references: images }
  if (!fits) return { thoughts: [], text, calls: [], pictures: [], finish: 'length' }
  const { picture, partials } = drawPicture(order, random, ask.partial_images ?? 0)
  return { thoughts: [], text, calls: [], pictures: [picture], partials, finish: 'stop' }
}

function write(ask: Ask, behaviour: Behaviour, random: Random): string[] {
  if (ask.json) return tokenize(JSON.stringify(valueFor(ask.json.schema, random, ask.last_text)))
  if (ask.results.length > 0) return tokenize(quote(ask.results))
  const length = Math.max(random.between(20, 90), minEvents(behaviour) * TOKENS_PER_EVENT)
  const wanted = Math.min(behaviour.tokens ?? length, ask.max_output_tokens)
  const written = writeAbout(ask.last_text, wanted, random)
  return behaviour.tokens === undefined ? written : written.slice(0, behaviour.tokens)
}

/** The result of a tool or of the gateway after it generated an image. */
const IMAGE_RESULT = /\bimage was (?:generated|made)\b/

function quote(results: Ask['results']): string {
  return results
    .map(({ name, response }) =>
      IMAGE_RESULT.test(response) ? 'Here is your picture.' : `The function ${name} returned ${response}.`,
    )
    .join(' ')
}

function cut(
  written: readonly string[],
  stops: readonly string[],
  room: number,
): Pick<Candidate, 'text' | 'finish' | 'stopped_by'> {
  const { text, ...stopped } = stopAt(written, stops)
  return text.length <= room
    ? { text, finish: 'stop', ...stopped }
    : { text: text.slice(0, Math.max(0, room)), finish: 'length' }
}

function stopAt(
  written: readonly string[],
  stops: readonly string[],
): Pick<Candidate, 'text' | 'stopped_by'> {
  const whole = written.join('')
  const [first] = stops
    .map((stopped_by) => ({ stopped_by, place: stopped_by === '' ? -1 : whole.indexOf(stopped_by) }))
    .filter(({ place }) => place >= 0)
    .sort((one, other) => one.place - other.place)
  if (!first) return { text: written }
  return { text: tokenize(whole.slice(0, first.place)), stopped_by: first.stopped_by }
}

/** Tokens of calls, by their JSON. */
export function callTokens(calls: readonly FunctionCall[]): number {
  return calls.reduce((sum, call) => sum + countTokens(JSON.stringify(call)), 0)
}

/** Visible output in tokens, without pictures. */
function outputTokens({ text, calls }: Candidate): number {
  return text.length + callTokens(calls)
}

/** The usage of a reply in tokens, as a provider would bill it. */
export interface Totals {
  /** Input, the cached part included. */
  readonly prompt: number
  readonly cached: number
  readonly written_5m: number
  readonly written_1h: number
  readonly thinking: number
  /** Output, pictures included. */
  readonly output: number
  readonly pictures: number
}

export function totalsOf({ prompt, candidates }: Reply): Totals {
  const sum = (count: (one: Candidate) => number) => candidates.reduce((total, one) => total + count(one), 0)
  const pictures = sum((one) => one.pictures.length * PICTURE_TOKENS)
  return {
    prompt: prompt.text + prompt.image + prompt.audio + prompt.document,
    cached: prompt.cached,
    written_5m: prompt.written_5m,
    written_1h: prompt.written_1h,
    thinking: sum((one) => one.thoughts.length),
    output: sum(outputTokens) + pictures,
    pictures,
  }
}

/** The totals of a query, which has no output. */
export const NO_USAGE: Totals = {
  prompt: 0,
  cached: 0,
  written_5m: 0,
  written_1h: 0,
  thinking: 0,
  output: 0,
  pictures: 0,
}
