// The edits that add a provider to the catalogue file. Maps errors to the names of form fields.
import { ApiError, api, send } from '../../../console/web/app/client.ts'
import { adviceIn } from '../../../console/web/parts/form.tsx'
import type { SavedFile } from '../parts/saving.ts'
import type { Protocol, ServerField } from './choices.ts'

export interface ProviderDraft {
  name: string
  /** Name of a known server; null for another one. */
  server: string | null
  protocol: Protocol
  base_url: string
  /** The entered parts of the server's address. */
  fields: Partial<Record<ServerField, string>>
  /** The key, or `env:NAME`; empty if the server takes none. */
  api_key: string
}

/** Omits the address of a known server. */
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

/** Sends one small real request to a new provider. @throws ApiError */
export const tryProvider = (draft: ProviderDraft, model: string) =>
  withFormFields(
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
  const { hash } = await withFormFields(send(api.catalogue.save.post({ edits, hash: base.hash })))
  return { base, hash }
}

/** Form fields by the ends of paths in the file. */
const FIELDS: readonly (readonly [path: RegExp, field: string])[] = [
  [/\.name$/, 'name'],
  [/\.base_url$/, 'base_url'],
  [/\.api_keys/, 'api_key'],
  // The provider is missing in the draft because its environment variable is not set.
  [/^provider$/, 'api_key'],
  [/\.routes|^model$/, 'model'],
]

/** Other fields of a provider have the same name in the form. */
const PROVIDER_FIELD = /^providers\[\d+\]\.(\w+)$/

const LINE_AND_PATH = /^(?:Line \d+: \S+|\w+:) /
/** The server's message for an empty field; the field's help already has the example. */
const MISSING = /^is missing: write (.*?)(?:, such as .*)?\.?$/

async function withFormFields<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.param === null) throw thrown
    const { param, status, code, request_id } = thrown
    const field = FIELDS.find(([path]) => path.test(param))?.[1] ?? PROVIDER_FIELD.exec(param)?.[1]
    if (field === undefined) throw thrown
    const words = thrown.message
      .replace(LINE_AND_PATH, '')
      .replace(/ Nothing was saved\.$/, '')
      .replace(MISSING, 'enter $1.')
    throw new ApiError(status, adviceIn(words), code, field, request_id)
  }
}
