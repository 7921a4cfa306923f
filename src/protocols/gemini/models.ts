// Models as the native API lists them: https://ai.google.dev/api/models
import { type Static, Type } from '@sinclair/typebox'
import type { Model } from '../../domain/catalogue.ts'
import { invalidRequest } from '../../domain/errors.ts'

export const NativeModel = Type.Object(
  {
    name: Type.String({ description: '`models/` and the id.' }),
    version: Type.String({ description: 'Always `001`.' }),
    displayName: Type.String({ description: 'The display name.' }),
    inputTokenLimit: Type.Optional(Type.Integer({ description: 'The most input tokens.' })),
    outputTokenLimit: Type.Optional(Type.Integer({ description: 'The most output tokens.' })),
    supportedGenerationMethods: Type.Array(Type.String(), {
      description: 'The methods of the Gemini API that the model supports.',
    }),
  },
  { additionalProperties: false, description: 'The model.' },
)

/** The methods of each kind of model on the native surface; other kinds cannot be called there. */
const METHODS: Readonly<Partial<Record<Model['kind'], readonly string[]>>> = {
  text: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embedding: ['embedContent', 'batchEmbedContents'],
  image: ['generateContent', 'streamGenerateContent'],
}

export const nativeModel = (model: Model): Static<typeof NativeModel> => ({
  name: `models/${model.id}`,
  // Models of the gateway have no versions; the field is required.
  version: '001',
  displayName: model.display_name,
  ...(model.kind === 'text'
    ? { inputTokenLimit: model.context, outputTokenLimit: model.max_output_tokens }
    : {}),
  supportedGenerationMethods: [...(METHODS[model.kind] ?? [])],
})

/** The provider's own default and maximum. */
export const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 1_000

interface NativePage {
  models: Static<typeof NativeModel>[]
  nextPageToken?: string
}

/**
 * A page of models. Its token is the id of its last model.
 *
 * @param query `pageSize` and `pageToken`, as sent
 * @throws GatewayError invalid_request for an invalid size or token
 */
export function nativePage(models: readonly Model[], query: Readonly<Record<string, unknown>>): NativePage {
  const size = pageSize(query.pageSize)
  const from = query.pageToken === undefined ? 0 : placeAfter(models, query.pageToken)
  const page = models.slice(from, from + size)
  const last = page.at(-1)
  const list = { models: page.map(nativeModel) }
  return last && from + size < models.length ? { ...list, nextPageToken: last.id } : list
}

function pageSize(requested: unknown): number {
  if (requested === undefined || requested === '') return DEFAULT_PAGE_SIZE
  if (typeof requested === 'string' && /^\d{1,9}$/.test(requested))
    return Math.min(Number(requested), MAX_PAGE_SIZE) || DEFAULT_PAGE_SIZE
  throw invalidRequest('pageSize: must be a whole number.', { param: 'pageSize' })
}

function placeAfter(models: readonly Model[], token: unknown): number {
  const place = models.findIndex(({ id }) => id === token)
  if (place >= 0) return place + 1
  throw invalidRequest('pageToken: is invalid. Send the nextPageToken of the previous page.', {
    param: 'pageToken',
  })
}
