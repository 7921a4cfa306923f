// Reader of :generateContent and :streamGenerateContent requests.
import { IMAGE_TOKENS } from '../answer.ts'
import type { Ask, FunctionDeclaration } from '../ask.ts'
import { pointsOf } from '../cache.ts'
import { isObject, type JsonObject, listOf, numberOf, objectOf, pick, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'
import { inlineOf, partsOf } from './parts.ts'

const DEFAULT_MAX_OUTPUT_TOKENS = 65_536
const AUDIO_BYTES_PER_TOKEN = 250
const DOCUMENT_TOKENS = 258

/** Reads the fields that the answer depends on, of a request that breaks no rule. */
export function readAsk(body: JsonObject): Ask {
  const contents = listOf(body.contents).map(objectOf)
  const parts = contents.flatMap(partsOf)
  const config = objectOf(pick(body, 'generationConfig', 'generation_config'))
  const last_words = contents.findLastIndex(
    (content) => content.role !== 'model' && resultsIn(content).length === 0,
  )
  return {
    ...readText(body, parts, contents[last_words] ?? {}),
    ...readMedia(parts),
    ...readConfig(config),
    ...readTools(body),
    cache_points: readCachePoints(body, contents),
    uses_cache: textOf(pick(body, 'cachedContent', 'cached_content')) !== '',
    results: resultsIn(contents.at(-1) ?? {}),
    called_turns: contents.slice(last_words + 1).filter((content) => resultsIn(content).length > 0).length,
  }
}

function readText(
  body: JsonObject,
  parts: JsonObject[],
  last: JsonObject,
): Pick<Ask, 'prompt' | 'last_text' | 'declarations'> {
  const system = partsOf(objectOf(pick(body, 'systemInstruction', 'system_instruction')))
  return {
    prompt: [...system, ...parts]
      .map(promptText)
      .filter((text) => text !== '')
      .join('\n'),
    last_text: partsOf(last)
      .map(({ text }) => textOf(text))
      .join('\n'),
    declarations: body.tools === undefined ? '' : JSON.stringify(body.tools),
  }
}

/** This API caches every prefix by itself; writing costs nothing (ai.google.dev/gemini-api/docs/caching, "Implicit caching"). */
function readCachePoints(body: JsonObject, contents: readonly JsonObject[]): Ask['cache_points'] {
  const declarations = body.tools === undefined ? '' : JSON.stringify(body.tools)
  const system = objectOf(pick(body, 'systemInstruction', 'system_instruction'))
  return pointsOf('', [
    { content: declarations, tokens: countTokens(declarations), keep: '5m' },
    ...[system, ...contents].map((content) => {
      const parts = partsOf(content)
      const media = parts.filter((part) => inlineOf(part).mime !== '').length * IMAGE_TOKENS
      const text = parts.map(promptText).join('\n')
      return { content: JSON.stringify(content), tokens: countTokens(text) + media, keep: '5m' as const }
    }),
  ])
}

/** The text that a part adds to the prompt: its own, or the JSON of a call or a result. */
function promptText(part: JsonObject): string {
  const structured = pick(part, 'functionCall', 'function_call', 'functionResponse', 'function_response')
  return structured === undefined ? textOf(part.text) : JSON.stringify(structured)
}

function readMedia(
  parts: JsonObject[],
): Pick<Ask, 'images' | 'references' | 'audio_tokens' | 'document_tokens'> {
  const media = parts.map(inlineOf).filter(({ mime }) => mime !== '')
  const images = media.filter(({ mime }) => mime.startsWith('image/'))
  const audio = media.filter(({ mime }) => mime.startsWith('audio/'))
  return {
    images: images.length,
    references: images.map(({ data }) => data),
    audio_tokens: audio.reduce((sum, { bytes }) => sum + Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN), 0),
    document_tokens: (media.length - images.length - audio.length) * DOCUMENT_TOKENS,
  }
}

type Configured =
  | 'seed'
  | 'max_output_tokens'
  | 'stops'
  | 'candidate_count'
  | 'thinking_budget'
  | 'shows_thoughts'
  | 'json'
  | 'aspect_ratio'

function readConfig(config: JsonObject): Pick<Ask, Configured> {
  const thinking = objectOf(pick(config, 'thinkingConfig', 'thinking_config'))
  const budget = numberOf(pick(thinking, 'thinkingBudget', 'thinking_budget'))
  const image = objectOf(pick(config, 'imageConfig', 'image_config'))
  const mime = textOf(pick(config, 'responseMimeType', 'response_mime_type'))
  const schema = pick(
    config,
    'responseSchema',
    'response_schema',
    'responseJsonSchema',
    'response_json_schema',
  )
  return {
    seed: String(config.seed ?? ''),
    max_output_tokens:
      numberOf(pick(config, 'maxOutputTokens', 'max_output_tokens')) ?? DEFAULT_MAX_OUTPUT_TOKENS,
    stops: listOf(pick(config, 'stopSequences', 'stop_sequences')).map(textOf),
    candidate_count: Math.min(
      8,
      Math.max(1, numberOf(pick(config, 'candidateCount', 'candidate_count')) ?? 1),
    ),
    thinking_budget: budget === undefined || budget < 0 ? undefined : budget,
    shows_thoughts: pick(thinking, 'includeThoughts', 'include_thoughts') === true,
    json: mime === 'application/json' ? { schema } : undefined,
    aspect_ratio: textOf(pick(image, 'aspectRatio', 'aspect_ratio')),
  }
}

const CALLING = new Map<string, Ask['calling']>([
  ['ANY', 'any'],
  ['NONE', 'none'],
])

function readTools(body: JsonObject): Pick<Ask, 'functions' | 'calling' | 'parallel'> {
  const tool_config = objectOf(pick(body, 'toolConfig', 'tool_config'))
  const calling = objectOf(pick(tool_config, 'functionCallingConfig', 'function_calling_config'))
  const allowed = listOf(pick(calling, 'allowedFunctionNames', 'allowed_function_names'))
  const declared = listOf(body.tools).flatMap((tool) =>
    listOf(pick(objectOf(tool), 'functionDeclarations', 'function_declarations')).flatMap(readFunction),
  )
  return {
    functions: allowed.length === 0 ? declared : declared.filter(({ name }) => allowed.includes(name)),
    calling: CALLING.get(textOf(calling.mode)) ?? 'auto',
    parallel: true,
  }
}

function readFunction(declared: unknown): FunctionDeclaration[] {
  const { name, ...rest } = objectOf(declared)
  if (textOf(name) === '') return []
  const schema = pick(rest, 'parameters', 'parametersJsonSchema', 'parameters_json_schema')
  return [{ name: textOf(name), schema: schema ?? { type: 'object' } }]
}

const resultsIn = (content: JsonObject): { name: string; response: string }[] =>
  partsOf(content).flatMap(readResult)

function readResult(part: JsonObject): { name: string; response: string }[] {
  const result = pick(part, 'functionResponse', 'function_response')
  if (!isObject(result)) return []
  return [{ name: textOf(result.name), response: JSON.stringify(result.response ?? {}) }]
}
