// The responses endpoint for its tests: a gateway that keeps responses in memory, and the events of its streams.
import { beforeEach } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { responses } from '../../plugins/responses/plugin.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { type JsonObject, objectsIn } from '../../src/protocols/wire/json.ts'
import type { KeptResponse, ResponseStore } from '../../src/responses/kept-responses.ts'
import type { KeptResponses } from '../../src/responses/store.ts'
import type { CallOptions } from '../support/gateway.ts'
import { pluginsOver } from '../support/plugins.ts'
import { replay } from '../support/replay.ts'
import type { Scene, SceneOptions } from '../support/scene.ts'
import { threeProviders } from '../support/three-providers.ts'

export const QUESTION = 'Why are there tides?'

/** A store without bounds. */
export function memoryStore(): Pick<KeptResponses, keyof ResponseStore | 'bytesUntil'> & {
  readonly all: Map<string, KeptResponse>
  enabled: boolean
} {
  const all = new Map<string, KeptResponse>()
  const find = (account_id: number, id: string) => {
    const kept = all.get(id)
    return kept?.account_id === account_id ? kept : undefined
  }
  function itemsUntil(account_id: number, id: string): JsonObject[] | undefined {
    const kept = find(account_id, id)
    if (!kept) return undefined
    const before = kept.previous_id === undefined ? [] : (itemsUntil(account_id, kept.previous_id) ?? [])
    return [...before, ...kept.input, ...objectsIn(kept.response.output)]
  }
  return {
    all,
    enabled: true,
    async keep(kept) {
      all.set(kept.id, structuredClone(kept))
    },
    find: async (account_id, id) => find(account_id, id),
    remove: async (_, id) => all.delete(id),
    itemsUntil: async (account_id, id) => itemsUntil(account_id, id),
    bytesUntil: () => undefined,
  }
}

type MemoryStore = ReturnType<typeof memoryStore>

/** The surfaces, with this store behind responses. */
export const pluginsWith = (store: MemoryStore) =>
  (plugins as readonly Plugin[]).flatMap((plugin) =>
    plugin !== responses
      ? plugin
      : pluginsOver([responses], (gateway) => {
          const { open, turnsUntil, sweep, followOthers, recover } = gateway.content.responses
          const stored = { open, turnsUntil, sweep, followOthers, recover }
          return {
            ...gateway,
            content: { ...gateway.content, responses: Object.assign(store, stored) },
          }
        }),
  )

interface ResponsesScene extends Scene {
  store: MemoryStore
  post(body: object | string, options?: CallOptions): Promise<Response>
  /** Creates a response, and returns it whole. */
  create(body: object): Promise<JsonObject>
  /** Creates a streamed response, and returns its events. */
  eventsFor(body: object): Promise<JsonObject[]>
}

/** The scene of a file; providers answer the recording `text` unless a test says otherwise. */
export async function responsesScene(options: Omit<SceneOptions, 'catalogue'> = {}): Promise<ResponsesScene> {
  const store = memoryStore()
  const scene = await threeProviders({ ...options, plugins: pluginsWith(store) })
  beforeEach(() => {
    scene.upstream.answer(replay('text'))
    store.enabled = true
  })
  const post: ResponsesScene['post'] = (body, more) => scene.call('/v1/responses', body, more)
  return {
    ...scene,
    store,
    post,
    create: async (body) => (await (await post(body)).json()) as JsonObject,
    eventsFor: async (body) => eventsOf(await (await post({ ...body, stream: true })).text()),
  }
}

/** The data of a stream's events, whose names must be their types. */
export const eventsOf = (text: string): JsonObject[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [name = '', data = ''] = frame.split('\n')
      const event = JSON.parse(data.replace(/^data: /, '')) as JsonObject
      if (name !== `event: ${event.type}`) throw new Error(`${name} names an event of type ${event.type}`)
      return event
    })
