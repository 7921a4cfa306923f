// Pictures as the server has them: produced images and files, whole and small.
import type { AnswerOf, api } from '../app/client.ts'
import { withQuery } from './given.ts'

/** A produced image in a list. */
export type ListedImage = AnswerOf<typeof api.images.get>['images'][number]

/** The operator asks to see them, which is logged; everybody else sees their own. */
const asked = (is_operator: boolean) => ({ content: is_operator ? 'shown' : undefined })

export const imagePicture = (id: string, is_operator: boolean): string =>
  withQuery(`/console/api/images/${id}/picture`, asked(is_operator))
export const imageThumbnail = (id: string, is_operator: boolean): string =>
  withQuery(`/console/api/images/${id}/thumbnail`, asked(is_operator))
export const filePicture = (key: string, is_operator: boolean): string =>
  withQuery('/console/api/files/picture', { key, ...asked(is_operator) })
export const fileThumbnail = (key: string, is_operator: boolean): string =>
  withQuery('/console/api/files/thumbnail', { key, ...asked(is_operator) })

/** The playground with a picture to work from: a produced image by its id, a file by its key. */
export const asReference = (id: string, account: string | undefined): string =>
  withQuery('/playground', { tab: 'images', from: id, account })
