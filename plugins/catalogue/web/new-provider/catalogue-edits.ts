// A provider that is added to the catalogue file. Refusals come back by the names of the form's fields.
import { ApiError, api, send } from '../../../console/web/app/client.ts'
import { adviceIn } from '../../../console/web/parts/form.tsx'
import type { SavedFile } from '../parts/saving.ts'
import type { Protocol, ServerField } from './choices.ts'

export interface ProviderDraft {
  name: string
  /** Of a known server; null for another one. */
  server: string | null
  protocol: Protocol
  base_url: string
  /** The parts of its server's address, as far as they are filled in. */
  fields: Partial<Record<ServerField, string>>
  /** The key, or `env:NAME`; empty if the server takes none. */
  api_key: string
}

/** A known server's address is its own. */
const providerEdit = ({ name, server, protocol, api_key, ...draft }: ProviderDraft) => ({
  op: 'add' as const,
  path: ['providers'],
  value: {
    name,
    ...(server === null ? {} : { server }),
    protocol,
    ...(server === null ? { base_url: draft.base_url.trim() } : {}),
    ...Object.fromEntries(
      Object.entries(draft.fields).flatMap(([field, typed]) =>
        typed.trim() === '' ? [] : [[field, typed.trim()]],
      ),
    ),
    api_keys: api_key.trim() === '' ? [] : [api_key.trim()],
  },
})

/** One small real request to a new provider. @throws ApiError */
export const tryProvider = (draft: ProviderDraft, model: string) =>
  atFields(
    send(
      api.providers.try.post({
        provider: draft.name,
        model,
        is_new: true,
        edits: [providerEdit(draft)],
      }),
    ),
  )

/** @throws ApiError */
export async function saveProvider(draft: ProviderDraft): Promise<SavedFile> {
  const base = await send(api.catalogue.get())
  const edits = [providerEdit(draft)]
  const { hash } = await atFields(send(api.catalogue.save.post({ edits, hash: base.hash })))
  return { base, hash }
}

/** The fields of the form, by the ends of the file's paths. */
const FIELDS: readonly (readonly [path: RegExp, field: string])[] = [
  [/\.name$/, 'name'],
  [/\.base_url$/, 'base_url'],
  [/\.api_keys/, 'api_key'],
  // A provider whose environment variable is not set is not in force.
  [/^provider$/, 'api_key'],
  [/\.routes|^model$/, 'model'],
]

/** Of a server's own fields the names are those of the form's. */
const OF_PROVIDER = /^providers\[\d+\]\.(\w+)$/

const LINE_AND_PATH = /^(?:Line \d+: \S+|\w+:) /
/** An empty field, with the example in its help. */
const MISSING = /^is missing: write (.*?)(?:, such as .*)?\.?$/

async function atFields<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.param === null) throw thrown
    const { param, status, code, request_id } = thrown
    const field = FIELDS.find(([path]) => path.test(param))?.[1] ?? OF_PROVIDER.exec(param)?.[1]
    if (field === undefined) throw thrown
    const words = thrown.message
      .replace(LINE_AND_PATH, '')
      .replace(/ Nothing was saved\.$/, '')
      .replace(MISSING, 'enter $1.')
    throw new ApiError(status, adviceIn(words), code, field, request_id)
  }
}
