// Pictures as the server has them: produced images and files, whole and small.
import type { api } from '../app/client.ts'

/** What a route answers. */
export type Answered<Call extends (...args: never[]) => Promise<unknown>> =
  Awaited<ReturnType<Call>> extends { data: infer Data } ? NonNullable<Data> : never

/** A produced image in a list. */
export type ListedImage = Answered<typeof api.images.get>['images'][number]

/** The operator asks to see them, which is logged; everybody else sees their own. */
const asked = (is_operator: boolean): Record<string, string> => (is_operator ? { content: 'shown' } : {})

const withQuery = (path: string, query: Record<string, string>): string => {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

export const imagePicture = (id: string, is_operator: boolean): string =>
  withQuery(`/console/api/images/${id}/picture`, asked(is_operator))
export const imageThumbnail = (id: string, is_operator: boolean): string =>
  withQuery(`/console/api/images/${id}/thumbnail`, asked(is_operator))
export const filePicture = (key: string, is_operator: boolean): string =>
  withQuery('/console/api/files/picture', { key, ...asked(is_operator) })
export const fileThumbnail = (key: string, is_operator: boolean): string =>
  withQuery('/console/api/files/thumbnail', { key, ...asked(is_operator) })

/** The playground with a picture to work from: a produced image by its id, a file by its key. */
export function asReference(id: string, account: string | undefined): string {
  return withQuery('/playground', { tab: 'images', from: id, ...(account === undefined ? {} : { account }) })
}
