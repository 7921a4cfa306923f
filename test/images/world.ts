// Owns what the tests of images share: a gateway before vendors of two protocols, pictures, and what is left of a request.
import { expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { images, imagesWith } from '../../plugins/images/index.ts'
import { plugins } from '../../plugins/index.ts'
import type { FileRow, Generation } from '../../src/db/schema.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { FetchImage } from '../../src/media/remote.ts'
import { parseImageUrl } from '../../src/media/url.ts'
import { paint } from '../media/support.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { type Answer, startUpstream, type Upstream, whole } from '../support/upstream.ts'
import { post, formOf as uploadForm } from '../upload/support.ts'

/** Up to four at once, any size; dearer in 512x512 and in high quality. Gemini's protocol. */
export const PICTURE = 'test-drawing'
/** One at a time, in the sizes of its list. */
export const LISTED = 'test-listed'
/** The same vendor by OpenAI's images API. */
export const OVER_OPENAI = 'test-gpt-image'
/** A vendor may take 150 ms. */
export const HASTY = 'test-hasty'
export const RETIRED_PICTURE = 'test-retired-drawing'

const MODELS = (url: string) => `
[[providers]]
name = "openai-vendor"
protocol = "openai"
base_url = "${url}"
api_keys = ["vendor-secret-two"]
cooldown_ms = 0

[[models]]
id = "${PICTURE}"
kind = "image"
max_n_per_request = 4
routes = [{ provider = "vendor", model = "vendor-image" }]

[models.price]
per_image = 0.04
variants = [
  { size = "512x512", quality = "high", per_image = 0.03 },
  { size = "512x512", per_image = 0.02 },
  { quality = "high", per_image = 0.16 },
]

[[models]]
id = "${LISTED}"
kind = "image"
sizes = ["auto", "64x64"]
routes = [{ provider = "vendor", model = "vendor-image" }]
price = { per_image = 0.04 }

[[models]]
id = "${OVER_OPENAI}"
kind = "image"
max_n_per_request = 4
routes = [{ provider = "openai-vendor", model = "gpt-image-1.5" }]
price = { per_image = 0.05 }

[[models]]
id = "${HASTY}"
kind = "image"
timeout_ms = 150
routes = [{ provider = "vendor", model = "vendor-image" }]
price = { per_image = 0.04 }

[[models]]
id = "${RETIRED_PICTURE}"
kind = "image"
retired = true
routes = [{ provider = "vendor", model = "vendor-image" }]
price = { per_image = 0.04 }
`

export const PNG = Buffer.from(await paint('png', { width: 48, height: 32 }))
export const JPEG = Buffer.from(await paint('jpeg', { width: 48, height: 32, alpha: false }))
export const GIF = Buffer.from(await paint('gif', { width: 48, height: 32 }))
export const WEBP = Buffer.from(await paint('webp', { width: 48, height: 32 }))

/** A part of a Gemini answer with a picture in it. */
const picturePart = (bytes: Uint8Array) => ({
  inlineData: { mimeType: 'image/png', data: Buffer.from(bytes).toString('base64') },
})

/** What a Gemini image model answers. */
export const draws = (...pictures: Uint8Array[]): Answer =>
  whole({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Here it is.' }, ...pictures.map(picturePart)] },
        finishReason: 'STOP',
      },
    ],
  })

/** What OpenAI's images API answers. */
export const sends = (...pictures: Uint8Array[]): Answer =>
  whole({
    created: 1,
    data: pictures.map((bytes) => ({
      b64_json: Buffer.from(bytes).toString('base64'),
      revised_prompt: 'as the vendor understood it',
    })),
  })

export interface World extends AsyncDisposable {
  gateway: TestGateway
  upstream: Upstream
  /** Milliseconds of the clock of the rate limit. */
  clock: { now_ms: number }
  /** URLs that were fetched. */
  fetched: string[]
}

/** Pictures that the web of these tests has, by URL; each other URL is not found. */
export const WEB: Record<string, { bytes: Uint8Array; mime: 'image/png' | 'image/jpeg' }> = {
  'https://pictures.example.com/cat.png': { bytes: PNG, mime: 'image/png' },
  'https://pictures.example.com/dog.jpg': { bytes: JPEG, mime: 'image/jpeg' },
}

export async function startWorld(options: { probe?: (point: string) => void } = {}): Promise<World> {
  const upstream = await startUpstream(draws(PNG))
  const clock = { now_ms: 0 }
  const fetched: string[] = []
  const fetchImage: FetchImage = async (url) => {
    parseImageUrl(url)
    fetched.push(url)
    const found = WEB[url]
    if (!found) throw invalidRequest('not found', { code: 'UPSTREAM_ERROR' })
    return found
  }
  const seamed = imagesWith({ fetchImage, clock: () => clock.now_ms })
  const gateway = await startTestGateway({
    catalogue: catalogueOf({
      upstream_url: upstream.url,
      provider: 'cooldown_ms = 0',
      more: MODELS(upstream.url),
    }),
    upstream,
    plugins: plugins.map((plugin) => (plugin === images ? seamed : plugin)),
    ...options,
  })
  return {
    gateway,
    upstream,
    clock,
    fetched,
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

export const GENERATIONS = '/v1/images/generations'
export const EDITS = '/v1/images/edits'
export const COMPOSE = '/v1/images/compose'

/** A data URI. */
export const dataUri = (bytes: Uint8Array, mime = 'image/png'): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

/** The smallest request of each endpoint that is served. */
export const generation = (rest: object = {}) => ({ model: PICTURE, prompt: 'a red house', ...rest })
export const compose = (rest: object = {}) => ({
  model: PICTURE,
  prompt: 'both together',
  image_urls: [dataUri(PNG)],
  ...rest,
})

/** An edit in the form of a form. */
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

/** Makes an image. @returns its UUID */
export async function generated(gateway: TestGateway, key: string): Promise<string> {
  const { svc_generation_ids } = await imagesIn(await gateway.call(GENERATIONS, generation(), { key }))
  return svc_generation_ids[0] ?? ''
}

export interface Left {
  stored: Generation[]
  files: FileRow[]
  on_disk: string[]
  cost_nanos: number
}

/** All that lasts of image calls. */
export async function leftIn({ db, data_folder }: TestGateway): Promise<Left> {
  const on_disk = await Promise.all(
    ['images', 'files'].map(async (name) => {
      const entries = await readdir(join(data_folder, name), { recursive: true, withFileTypes: true }).catch(
        () => [],
      )
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
    }),
  )
  return {
    stored: db.query<Generation, []>("SELECT * FROM generations WHERE state <> 'failed'").all(),
    files: db.query<FileRow, []>('SELECT * FROM files').all(),
    on_disk: on_disk.flat().sort(),
    cost_nanos:
      db.query<{ sum: number }, []>('SELECT coalesce(sum(cost_nanos), 0) AS sum FROM calls').get()?.sum ?? 0,
  }
}

/** Status, code, and the field at fault. */
export type Refusal = readonly [status: number, code: string, param?: string]

/** Asserts a refusal in the images' shape, and that nothing is held, stored, charged or left on disk. */
export async function expectRefused(
  gateway: TestGateway,
  before: Left,
  response: Response,
  [status, code, param]: Refusal,
): Promise<void> {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, body]).toMatchObject([status, { error: { type, code } }])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  if (param !== undefined) expect(body.error.param).toBe(param)
  expect(await leftIn(gateway)).toEqual(before)
  await gateway.atRest()
}
