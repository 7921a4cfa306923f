// Files on their way to the gateway.
import { askRaw } from '../app/client.ts'
import { withQuery } from './given.ts'

/** What the gateway takes: it looks at the bytes, whatever a file is called. */
export const ACCEPTED = 'image/png,image/jpeg,image/webp,image/gif'

/**
 * Uploads files: all of them, or none.
 *
 * @param query names the account, for the operator
 * @returns their keys, in the same order
 * @throws ApiError as the server words it
 */
export async function uploadFiles(files: readonly File[], query: { account?: string }): Promise<string[]> {
  const form = new FormData()
  for (const file of files) form.append('files', file)
  const answer = await askRaw(withQuery('/console/api/files', query), { method: 'POST', body: form })
  const { uploaded } = (await answer.json()) as { uploaded: { key: string }[] }
  return uploaded.map(({ key }) => key)
}
