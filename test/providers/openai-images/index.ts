// The dialect of OpenAI's images API: generations in JSON, edits as a form, streams with partial images.
import { BLOCKING_WORD } from '../answer.ts'
import type { Ask, Reply } from '../ask.ts'
import {
  type Call,
  type Dialect,
  EVENT_STREAM,
  type Framing,
  type Refusal,
  refusal,
  type UsageReport,
} from '../dialect.ts'
import { type JsonObject, listOf, numberOf, textOf } from '../json.ts'
import { fieldOf } from '../multipart.ts'
import { openai } from '../openai/index.ts'

const PATH = /\/images\/(generations|edits)$/
const MAX_IMAGES = 10
const MAX_PARTIAL_IMAGES = 3
const NO_LIMIT_TOKENS = 1_000_000
/** Output tokens of a medium image of 1024x1024. */
const PICTURE_TOKENS = 1_056
/** https://platform.openai.com/docs/guides/image-generation: billed for each partial image. */
const PARTIAL_IMAGE_TOKENS = 100

/** Moderation, which this API reports as an error. */
const BLOCKED: Refusal = {
  status: 400,
  message: 'Your request was rejected by the safety system. safety_violations=[violence].',
}

/** https://platform.openai.com/docs/api-reference/images */
const FORMATS = new Set(['', 'png', 'jpeg', 'webp'])
const QUALITIES = new Set(['', 'auto', 'high', 'medium', 'low'])
/** Qualities of the models from gpt-image-2.5 on (openai's resources/images.d.ts). */
const LATER_QUALITIES = new Set(['xhigh', 'max'])
const LATER_MODEL = /^gpt-image-(?:2\.[5-9]|[3-9])/

const takesQuality = (model: string, quality: string): boolean =>
  QUALITIES.has(quality) || (LATER_QUALITIES.has(quality) && LATER_MODEL.test(model))

function read(url: URL, body: JsonObject): Call | Refusal {
  const model = fieldOf(body, 'model')
  const images = [...listOf(body.image), ...listOf(body['image[]'])].map(textOf)
  if (fieldOf(body, 'prompt').includes(BLOCKING_WORD)) return BLOCKED
  const fault = findFault(body, url.pathname.endsWith('/edits') && images.length === 0)
  const framing = fieldOf(body, 'stream') === 'true' ? SSE : undefined
  return fault ?? { model, framing, ask: askOf(body, images), body }
}

/** Events have names: a payload begins with its own. */
const SSE: Framing = { ...EVENT_STREAM, before_first: 'event: ', before: 'event: ' }

function findFault(body: JsonObject, lacks_image: boolean): Refusal | undefined {
  const count = numberOf(Number(fieldOf(body, 'n') || 1)) ?? 0
  const partials = Number(fieldOf(body, 'partial_images') || 0)
  const faults: readonly (readonly [field: string, wrong: boolean, message: string])[] = [
    ['model', fieldOf(body, 'model') === '', 'you must provide a model parameter'],
    ['prompt', fieldOf(body, 'prompt') === '', "Missing required parameter: 'prompt'."],
    ['image', lacks_image, "Missing required parameter: 'image'."],
    ['n', !(count >= 1 && count <= MAX_IMAGES), "Invalid 'n': must be between 1 and 10."],
    ['partial_images', !(partials >= 0 && partials <= MAX_PARTIAL_IMAGES), "Invalid 'partial_images'."],
    ['size', !/^(|auto|\d+x\d+)$/.test(fieldOf(body, 'size')), "Invalid value for 'size'."],
    [
      'quality',
      !takesQuality(fieldOf(body, 'model'), fieldOf(body, 'quality')),
      "Invalid value for 'quality'.",
    ],
    ['output_format', !FORMATS.has(fieldOf(body, 'output_format')), "Invalid value for 'output_format'."],
  ]
  const found = faults.find(([, wrong]) => wrong)
  return found && refusal(found[0], found[2])
}

function askOf(body: JsonObject, images: string[]): Ask {
  const prompt = fieldOf(body, 'prompt')
  return {
    prompt,
    last_text: prompt,
    declarations: '',
    images: images.length,
    references: images,
    audio_tokens: 0,
    document_tokens: 0,
    uses_cache: false,
    seed: '',
    max_output_tokens: NO_LIMIT_TOKENS,
    stops: [],
    candidate_count: Number(fieldOf(body, 'n') || 1),
    thinking_budget: 0,
    shows_thoughts: false,
    functions: [],
    calling: 'none',
    parallel: false,
    results: [],
    called_turns: 0,
    json: undefined,
    aspect_ratio: fieldOf(body, 'size'),
    partial_images: Number(fieldOf(body, 'partial_images') || 0),
    cache_points: [],
  }
}

interface ImageUsage {
  usage?: { input_tokens: number; input_tokens_details: object; output_tokens: number; total_tokens: number }
}

function usageOf({ prompt, candidates }: Reply, usage_report: UsageReport): ImageUsage {
  if (usage_report === 'absent') return {}
  const image_count = candidates.flatMap(({ pictures }) => pictures).length
  const partial_count = candidates.flatMap(({ partials = [] }) => partials).length
  const [input_tokens, output_tokens] =
    usage_report === 'zero'
      ? [0, 0]
      : [prompt.text + prompt.image, image_count * PICTURE_TOKENS + partial_count * PARTIAL_IMAGE_TOKENS]
  return {
    usage: {
      input_tokens,
      input_tokens_details: { text_tokens: prompt.text, image_tokens: prompt.image },
      output_tokens,
      total_tokens: input_tokens + output_tokens,
    },
  }
}

function whole(_call: Call, reply: Reply, usage_report: UsageReport): string {
  const data = reply.candidates.flatMap(({ pictures }) => pictures).map((b64_json) => ({ b64_json }))
  const { usage } = usageOf(reply, usage_report)
  // Events have no details of the output (openai's resources/images.d.ts).
  const detailed_usage = usage && {
    ...usage,
    output_tokens_details: { text_tokens: 0, image_tokens: usage.output_tokens },
  }
  return JSON.stringify({ created: 1, data, usage: detailed_usage })
}

/** https://platform.openai.com/docs/api-reference/images-streaming */
function events({ ask, body }: Call, reply: Reply, usage_report: UsageReport): string[] {
  const name = ask.images > 0 ? 'image_edit' : 'image_generation'
  const shape = {
    created_at: 1,
    size: fieldOf(body, 'size') || '1024x1024',
    quality: fieldOf(body, 'quality') || 'medium',
    background: fieldOf(body, 'background') || 'opaque',
    output_format: 'png',
  }
  const event = (kind: string, b64_json: string, more: object) => {
    const type = `${name}.${kind}`
    return `${type}\ndata: ${JSON.stringify({ type, b64_json, ...shape, ...more })}`
  }
  return reply.candidates.flatMap(({ pictures, partials = [] }) => [
    ...partials.map((b64_json, index) => event('partial_image', b64_json, { partial_image_index: index })),
    ...pictures.map((b64_json) => event('completed', b64_json, usageOf(reply, usage_report))),
  ])
}

export const openaiImages: Dialect = {
  ...openai,
  name: 'openai-images',
  serves: (path) => PATH.test(path),
  read,
  whole,
  events,
  streamError: (refusal) => `error\ndata: ${openai.streamError(refusal)}`,
  refuse(refusal) {
    if (refusal.message !== BLOCKED.message) return openai.refuse(refusal)
    const error = {
      message: refusal.message,
      type: 'image_generation_user_error',
      param: null,
      code: 'moderation_blocked',
    }
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
  },
  refusals: { ...openai.refusals, field: 'prompt' },
}
