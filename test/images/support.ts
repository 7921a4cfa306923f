// Helpers for the image endpoints: models of two protocols, images, requests, and readers of answers.
import { beforeEach, expect } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { createRate } from '../../src/access/rate.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { FetchImage } from '../../src/media/remote.ts'
import { parseImageUrl } from '../../src/media/url.ts'
import { paint } from '../media/support.ts'
import { PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import type { TestGateway } from '../support/gateway.ts'
import { pluginsOver } from '../support/plugins.ts'
import { fileScene, type Scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Answer, whole } from '../support/upstream.ts'
import { post, formOf as uploadForm } from '../upload/support.ts'

/** Up to four images a request, any size; other prices for 512x512 and for high quality. Gemini's protocol. */
export const PICTURE = 'test-drawing'
/** One image a request, in the sizes of its list. */
export const LISTED = 'test-listed'
/** By OpenAI's images API. */
export const OVER_OPENAI = 'test-gpt-image'
/** Its provider has 150 ms to answer. */
export const HASTY = 'test-hasty'
/** 4K costs 0.24, others 0.04. */
export const SIZED = 'test-sized'
/** By OpenAI's images API, with prices for partial images and for high fidelity. */
export const PARTIAL = 'test-partial'
/** The same, with 150 ms to answer. */
export const HASTY_PARTIAL = 'test-hasty-partial'
/** The same; if it fails, Gemini's protocol, which has no partial images. */
export const PARTIAL_OR_WHOLE = 'test-partial-or-whole'
/** Gemini's protocol alone, in spite of a price for partial images. */
export const NEVER_PARTIAL = 'test-never-partial'
/** Simulated, over OpenAI's images API. */
export const SIMULATED_PARTIAL = 'test-simulated-partial'
/** A model of another maker, whose server accepts only a prompt and a size. */
export const OTHER_MAKER = 'test-other-maker'
const PARTIAL_PRICE = 'per_image = 0.05, partial_image = 0.004, high_fidelity = 0.06'
export const RETIRED_PICTURE = 'test-retired-drawing'

const image = (id: string, routes: Record<string, string>, price: string, more = '') =>
  modelSection(id, routes, { kind: 'image', price, more })

export const models = (url: string) => `
${providerSection('openai-images', 'openai', url, 'cooldown_ms = 0\nfirst_byte_timeout_ms = 1', [PROVIDER_KEYS[1]])}
${image(PICTURE, { [PROVIDER]: 'upstream-image' }, `per_image = 0.04, variants = [{ size = "512x512", quality = "high", per_image = 0.03 }, { size = "512x512", per_image = 0.02 }, { quality = "high", per_image = 0.16 }]`, 'max_n_per_request = 4')}
${image(LISTED, { [PROVIDER]: 'upstream-image' }, 'per_image = 0.04', 'sizes = ["auto", "64x64"]')}
${image(OVER_OPENAI, { 'openai-images': 'gpt-image-1.5' }, 'per_image = 0.05', 'max_n_per_request = 4')}
${image(HASTY, { [PROVIDER]: 'upstream-image' }, 'per_image = 0.04', 'timeout_ms = 150')}
${image(SIZED, { [PROVIDER]: 'upstream-image' }, 'per_image = 0.04, variants = [{ size = "4K", per_image = 0.24 }]')}
${providerSection('simulated-images', 'openai', 'simulator', '', [PROVIDER_KEYS[1]])}
${image(PARTIAL, { 'openai-images': 'gpt-image-1.5' }, PARTIAL_PRICE, 'timeout_ms = 30_000\nmax_n_per_request = 4')}
${image(HASTY_PARTIAL, { 'openai-images': 'gpt-image-1.5' }, PARTIAL_PRICE, 'timeout_ms = 150')}
${image(PARTIAL_OR_WHOLE, { 'openai-images': 'gpt-image-2', [PROVIDER]: 'upstream-image' }, PARTIAL_PRICE)}
${image(NEVER_PARTIAL, { [PROVIDER]: 'upstream-image' }, PARTIAL_PRICE)}
${image(SIMULATED_PARTIAL, { 'simulated-images': 'gpt-image-1.5' }, PARTIAL_PRICE)}
${image(OTHER_MAKER, { 'openai-images': 'stable-diffusion-3' }, PARTIAL_PRICE)}
${image(RETIRED_PICTURE, { [PROVIDER]: 'upstream-image' }, 'per_image = 0.04', 'retired = true')}
`

export const PNG = Buffer.from(await paint('png', { width: 48, height: 32 }))
export const JPEG = Buffer.from(await paint('jpeg', { width: 48, height: 32, alpha: false }))
export const GIF = Buffer.from(await paint('gif', { width: 48, height: 32 }))
export const WEBP = Buffer.from(await paint('webp', { width: 48, height: 32 }))

/** A part of a Gemini answer with an image in it. */
const picturePart = (bytes: Uint8Array) => ({
  inlineData: { mimeType: 'image/png', data: Buffer.from(bytes).toString('base64') },
})

/** The answer of a Gemini image model. */
export const draws = (...pictures: Uint8Array[]): Answer =>
  whole({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Here it is.' }, ...pictures.map(picturePart)] },
        finishReason: 'STOP',
      },
    ],
  })

export const REVISED_PROMPT = 'as the provider understood it'

/** The answer of OpenAI's images API. */
export const sends = (...pictures: Uint8Array[]): Answer =>
  whole({
    created: 1,
    data: pictures.map((bytes) => ({
      b64_json: Buffer.from(bytes).toString('base64'),
      revised_prompt: REVISED_PROMPT,
    })),
  })

interface ImagesScene extends Scene {
  /** The rate limit's clock. */
  clock: { now_ms: number }
  /** URLs of reference images that were fetched. */
  fetched: string[]
}

/** The images that can be fetched, by URL; every other URL is not found. */
export const WEB: Record<string, { bytes: Uint8Array; mime: 'image/png' | 'image/jpeg' }> = {
  'https://pictures.example.com/cat.png': { bytes: PNG, mime: 'image/png' },
  'https://pictures.example.com/dog.jpg': { bytes: JPEG, mime: 'image/jpeg' },
}

/** The scene of a file; the provider answers with one PNG unless a test says otherwise. @param more further models */
export async function imagesScene(more = ''): Promise<ImagesScene> {
  const clock = { now_ms: 0 }
  const fetched: string[] = []
  const fetchImage: FetchImage = async (url) => {
    parseImageUrl(url)
    fetched.push(url)
    const found = WEB[url]
    if (!found) throw invalidRequest('not found', { code: 'UPSTREAM_ERROR' })
    return found
  }
  const rate = createRate(() => clock.now_ms)
  const scene = await fileScene({
    provider: 'cooldown_ms = 0',
    more: (url) => models(url) + more,
    plugins: pluginsOver(plugins, (gateway) => ({
      ...gateway,
      content: { ...gateway.content, images: { ...gateway.content.images, fetchImage, rate } },
    })),
  })
  beforeEach(() => scene.upstream.answer(draws(PNG)))
  return { ...scene, clock, fetched }
}

export const GENERATIONS = '/v1/images/generations'
export const EDITS = '/v1/images/edits'
export const COMPOSE = '/v1/images/compose'

/** A data URI. */
export const dataUri = (bytes: Uint8Array, mime = 'image/png'): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

/** The smallest valid request. */
export const generation = (rest: object = {}) => ({ model: PICTURE, prompt: 'a red house', ...rest })
/** The smallest valid request to compose. */
export const compose = (rest: object = {}) => ({
  model: PICTURE,
  prompt: 'both together',
  image_urls: [dataUri(PNG)],
  ...rest,
})

/** An edit as a multipart form; an empty text leaves a field out. */
export function editForm(fields: Record<string, string | Blob> = {}): FormData {
  const form = new FormData()
  const all: Record<string, string | Blob> = {
    model: PICTURE,
    prompt: 'make it blue',
    image: new File([PNG], 'my house.png', { type: 'image/png' }),
    ...fields,
  }
  for (const [name, value] of Object.entries(all)) if (value !== '') form.append(name, value)
  return form
}

export const postForm = (gateway: TestGateway, key: string, form: FormData): Promise<Response> =>
  fetch(new URL(EDITS, gateway.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })

/** Stores a file through the upload endpoint. @returns its key */
export async function uploaded(gateway: TestGateway, key: string, bytes: Uint8Array = PNG): Promise<string> {
  const answer = await post(gateway, key, uploadForm([{ bytes }]))
  const { uploaded } = (await answer.json()) as { uploaded: { key: string }[] }
  return uploaded[0]?.key ?? ''
}

export interface ImagesAnswer {
  created: number
  data: { b64_json: string; revised_prompt: string | null }[]
  svc_generation_ids: string[]
  usage: { images: number }
  cost: string
}

/** The body of an answer that must be 200. */
export async function imagesIn(response: Response): Promise<ImagesAnswer> {
  const body = await response.json()
  expect([response.status, response.status === 200 ? '' : body]).toEqual([200, ''])
  return body as ImagesAnswer
}

/** Generates an image. @returns its UUID */
export async function generated(gateway: TestGateway, key: string): Promise<string> {
  const { svc_generation_ids } = await imagesIn(await gateway.call(GENERATIONS, generation(), { key }))
  return svc_generation_ids[0] ?? ''
}
