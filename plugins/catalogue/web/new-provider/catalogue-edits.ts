// A provider or a model that is added to the catalogue file. Refusals come back by the names of the form's fields.
import { ApiError, api, send } from '../../../console/web/app/client.ts'
import type { Known } from '../parts/known.ts'
import type { SavedFile } from '../parts/saving.ts'
import { knownModel, type Protocol, type ServerField } from './choices.ts'

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

interface ModelDraft {
  id: string
  provider: string
  /** The provider's own name of it. */
  model: string
  /** USD per million tokens, in digits. */
  input: string
  output: string
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

type Fields = Record<string, string | number | { [name: string]: string }[] | { [name: string]: string }>

/** A known model has its limits, too, and at list price the price of its cache. */
function modelEdit(
  { id, provider, model, input, output }: ModelDraft,
  known: Known['models'][number] | undefined,
) {
  const price: Record<string, string> = { input: input.trim(), output: output.trim() }
  if (known?.input === input && known.cache_read) price.cache_read = known.cache_read
  const value: Fields = { id, kind: 'text' }
  if (known) Object.assign(value, { context: known.context, max_output_tokens: known.max_output_tokens })
  Object.assign(value, { routes: [{ provider, model }], price })
  return { op: 'add' as const, path: ['models'], value }
}

/**
 * One small real request to a new provider.
 *
 * @throws ApiError
 */
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
export const saveProvider = (draft: ProviderDraft) => save(providerEdit(draft))

/** @throws ApiError */
export const saveModel = (draft: ModelDraft, known: readonly Known[]) =>
  save(modelEdit(draft, knownModel(known, draft.model)))

async function save(
  edit: ReturnType<typeof providerEdit> | ReturnType<typeof modelEdit>,
): Promise<SavedFile> {
  const base = await send(api.catalogue.get())
  const { hash } = await atFields(send(api.catalogue.save.post({ edits: [edit], hash: base.hash })))
  return { base, hash }
}

/** The fields of the forms, by the ends of the file's paths. */
const FIELDS: readonly (readonly [path: RegExp, field: string])[] = [
  [/\.name$/, 'name'],
  [/\.base_url$/, 'base_url'],
  [/\.api_keys/, 'api_key'],
  // A provider whose environment variable is not set is not in force.
  [/^provider$/, 'api_key'],
  [/\.id$/, 'id'],
  [/\.routes|^model$/, 'model'],
  [/\.price\.input$/, 'input'],
  [/\.price\.output$/, 'output'],
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
    throw new ApiError(status, words.charAt(0).toUpperCase() + words.slice(1), code, field, request_id)
  }
}
