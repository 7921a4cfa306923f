// Helpers for partial images: a provider that sends them as OpenAI's images API does, and readers of the caller's events.
import { plugins } from '../../plugins/index.ts'
import { formatOf, type ImageMime } from '../../src/domain/image-formats.ts'
import { type WatchedCallers, watchCallers } from '../support/callers.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { type Scene, type SceneOptions, scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import type { Step } from '../support/upstream.ts'

export const IMAGE_NANOS = 50_000_000
export const PARTIAL_NANOS = 4_000_000
export const FIDELITY_NANOS = 60_000_000

const SHAPE = {
  created_at: 1,
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  output_format: 'png',
}

/** One event with its name, as OpenAI sends it. */
export const namedEvent = (type: string, data: object): Step => ({
  send: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
})

type Name = 'image_generation' | 'image_edit'

export const partial = (bytes: Uint8Array, index: number, name: Name = 'image_generation'): Step =>
  namedEvent(`${name}.partial_image`, {
    b64_json: Buffer.from(bytes).toString('base64'),
    partial_image_index: index,
    ...SHAPE,
  })

export const completed = (bytes: Uint8Array, name: Name = 'image_generation'): Step =>
  namedEvent(`${name}.completed`, {
    b64_json: Buffer.from(bytes).toString('base64'),
    ...SHAPE,
    usage: { input_tokens: 10, output_tokens: 4_360, total_tokens: 4_370 },
  })

export const failure = (error: object): Step => namedEvent('error', { error })

/** An event as a caller gets it. */
interface ImageEvent {
  type?: string
  b64_json?: string
  partial_image_index?: number
  svc_generation_id?: string
  usage?: object
  cost?: string
  error?: { message: string; code: string; type: string }
}

/** All events of an answer: its names, which must be those of the data, and its data. */
export function eventsIn(text: string): ImageEvent[] {
  return text
    .split('\n\n')
    .filter((record) => record !== '')
    .map((record) => {
      const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(record) ?? []
      const event = JSON.parse(data ?? '') as ImageEvent
      if (name !== (event.error ? 'error' : event.type)) throw new Error(`${name} is ${event.type}`)
      return event
    })
}

export const kindsOf = (events: readonly ImageEvent[]): string[] =>
  events.map(({ type, error }) => (error ? 'error' : (type?.split('.')[1] ?? '')))

/** Reads one event after the other. */
export function eventReader(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    /** The next event; undefined at the end. */
    async next(): Promise<ImageEvent | undefined> {
      while (!text.includes('\n\n')) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return undefined
        text += value
      }
      const end = text.indexOf('\n\n') + 2
      const [event] = eventsIn(text.slice(0, end))
      text = text.slice(end)
      return event
    },
    leave: () => reader?.cancel(),
  }
}

export const generationsOf = ({ gateway }: Pick<Scene, 'gateway'>) =>
  gateway.db
    .query<{ uuid: string; state: string; kind: string; mime: ImageMime | null }, []>(
      'SELECT * FROM generations ORDER BY id',
    )
    .all()
    .map(({ mime, ...row }) => ({ ...row, format: mime === null ? undefined : formatOf(mime) }))

/** A model that sends partial images, with a time-out of 60 s. */
export const PARTIALS_MODEL = 'test-drawing-partials'
/** The same, with a time-out of 150 ms. */
export const HASTY_PARTIALS_MODEL = 'test-hasty-partials'

const catalogue = (url: string) => `
${providerSection('openai-images', 'openai', url, 'cooldown_ms = 0', [PROVIDER_KEYS[1]])}
${[PARTIALS_MODEL, HASTY_PARTIALS_MODEL]
  .map((id) =>
    modelSection(
      id,
      { 'openai-images': 'gpt-image-1.5' },
      {
        kind: 'image',
        price: 'per_image = 0.05, partial_image = 0.004',
        more: `timeout_ms = ${id === PARTIALS_MODEL ? 60_000 : 150}`,
      },
    ),
  )
  .join('\n')}
`

export interface PartialsScene extends Scene {
  callers: WatchedCallers
}

/** A scene of its own that counts the disconnects that the gateway notices. */
export async function partialsScene(
  server = '',
  { more = '', ...options }: Pick<SceneOptions, 'max_busy_wait_ms'> & { more?: string } = {},
): Promise<PartialsScene> {
  const callers = watchCallers()
  const opened = await scene({
    ...options,
    server,
    more: (url) => `${catalogue(url)}\n${more}`,
    plugins: [callers.plugin, ...plugins],
  })
  return { ...opened, callers }
}
