// OpenAI's image endpoints: generations and edits, whole and streamed with partial images.
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { answerTo } from '../answer.ts'
import { type Answer, type Ask, Refused } from '../ask.ts'
import type { Endpoint } from '../endpoint.ts'
import { listIn, textIn } from '../json.ts'
import { fieldOf, OPENAI } from './openai.ts'

const MAX_IMAGES = 10
const MAX_PARTIALS = 3
/** Tokens of a medium image of 1024x1024, and of each partial image: https://platform.openai.com/docs/guides/image-generation. */
const PICTURE_TOKENS = 1_056
const PARTIAL_TOKENS = 100

export const images: Endpoint = {
  ...OPENAI,
  path: /\/images\/(?:generations|edits)$/,
  async serve({ url, body, model, behaviour }) {
    const ask = askOf(model, body, url.pathname.endsWith('/edits'))
    const answer = await answerTo(ask, { ...behaviour, paints: true })
    if (fieldOf(body, 'stream') === 'true') return { events: eventsOf(body, ask, answer) }
    const data = answer.pictures.map((b64_json) => ({ b64_json }))
    return { json: { created: 1, data, usage: usageOf(answer) } }
  },
}

function askOf(model: string, body: JsonObject, is_edit: boolean): Ask {
  const prompt = fieldOf(body, 'prompt')
  const sources = [...textsOf(body.image), ...textsOf(body['image[]'])]
  const count = Number(fieldOf(body, 'n') || 1)
  const partials = Number(fieldOf(body, 'partial_images') || 0)
  if (prompt === '') throw new Refused(400, "Missing required parameter: 'prompt'.", 'prompt')
  if (is_edit && sources.length === 0) throw new Refused(400, "Missing required parameter: 'image'.", 'image')
  if (!(count >= 1 && count <= MAX_IMAGES))
    throw new Refused(400, "Invalid 'n': must be between 1 and 10.", 'n')
  if (!(partials >= 0 && partials <= MAX_PARTIALS))
    throw new Refused(400, "Invalid 'partial_images'.", 'partial_images')
  return {
    model,
    prompt,
    last_text: prompt,
    images: sources,
    media_tokens: 0,
    tools: [],
    calling: 'none',
    results: [],
    max_tokens: Number.MAX_SAFE_INTEGER,
    stops: [],
    count,
    shape: fieldOf(body, 'size'),
    partials,
  }
}

const textsOf = (value: JsonObject[string] | undefined): string[] =>
  (typeof value === 'string' ? [value] : listIn(value).map(textIn)).filter((text) => text !== '')

function usageOf({ usage, pictures, partials }: Answer) {
  const output_tokens = pictures.length * PICTURE_TOKENS + partials.length * PARTIAL_TOKENS
  return {
    input_tokens: usage.input,
    input_tokens_details: { text_tokens: usage.input - usage.images, image_tokens: usage.images },
    output_tokens,
    total_tokens: usage.input + output_tokens,
  }
}

/** https://platform.openai.com/docs/api-reference/images-streaming */
function eventsOf(body: JsonObject, ask: Ask, answer: Answer): string[] {
  const name = ask.images.length > 0 ? 'image_edit' : 'image_generation'
  const form = {
    created_at: 1,
    size: ask.shape || '1024x1024',
    quality: fieldOf(body, 'quality') || 'medium',
    background: fieldOf(body, 'background') || 'opaque',
    output_format: 'png',
  }
  const event = (kind: string, b64_json: string, more: object) => {
    const type = `${name}.${kind}`
    return `event: ${type}\ndata: ${JSON.stringify({ type, b64_json, ...form, ...more })}\n\n`
  }
  return [
    ...answer.partials.map((b64_json, index) =>
      event('partial_image', b64_json, { partial_image_index: index }),
    ),
    ...answer.pictures.map((b64_json) => event('completed', b64_json, { usage: usageOf(answer) })),
  ]
}
