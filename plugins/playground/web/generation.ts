// One request for images: its fields, and the images with their cost.
import { askRaw } from '../../console/web/app/client.ts'
import { withQuery } from '../../console/web/parts/given.ts'
import type { Reference } from './reference.ts'

export interface ImageRequest {
  account: string | undefined
  model: string
  prompt: string
  n: number
  /** Empty: the model's own. */
  size: string
  quality: string
  references: readonly Reference[]
}

export interface GeneratedImages {
  /** Of the images, which the gallery has from then on. */
  ids: string[]
  /** The recorded charge in USD. */
  cost: string
  request_id: string | null
}

/** The most that the gateway takes for one image. */
export const MAX_REFERENCES = 3

/**
 * Generates images: new ones, an edit of one reference, or a composition of several.
 *
 * @throws ApiError in the server's words; ConnectionLost
 */
export async function generate(request: ImageRequest): Promise<GeneratedImages> {
  const { account, model, prompt, n, size, quality, references } = request
  const { path, fields } = sourcesOf(references)
  const answer = await askRaw(withQuery(`/console/api/play/${path}`, { account }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      prompt,
      n,
      size: size || undefined,
      quality: quality || undefined,
      ...fields,
    }),
  })
  const { svc_generation_ids, cost } = (await answer.json()) as { svc_generation_ids: string[]; cost: string }
  return { ids: svc_generation_ids, cost, request_id: answer.headers.get('x-request-id') }
}

function sourcesOf(references: readonly Reference[]): { path: string; fields: Record<string, unknown> } {
  const [only] = references
  if (!only) return { path: 'images', fields: {} }
  if (references.length === 1)
    return {
      path: 'edits',
      fields: only.is === 'image' ? { generation_id: only.id } : { image_key: only.id },
    }
  const idsOf = (is: Reference['is']) => references.filter((each) => each.is === is).map(({ id }) => id)
  return { path: 'compose', fields: { generation_ids: idsOf('image'), image_keys: idsOf('file') } }
}

/** The label of the button that sends the request. */
export const verbFor = (references: readonly Reference[]): string =>
  references.length === 0 ? 'Generate' : references.length === 1 ? 'Edit' : 'Compose'
