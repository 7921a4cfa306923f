// A picture sent with a request: a generated image by its id, or an uploaded file by its key.
import { filePicture, fileThumbnail, imagePicture, imageThumbnail } from '../../console/web/parts/pictures.ts'

export interface Reference {
  is: 'image' | 'file'
  id: string
  label: string
}

/** The address of its thumbnail. */
export const thumbnailOf = ({ is, id }: Reference, is_operator: boolean): string =>
  is === 'image' ? imageThumbnail(id, is_operator) : fileThumbnail(id, is_operator)

/** The address of the whole picture. */
export const pictureOf = ({ is, id }: Reference, is_operator: boolean): string =>
  is === 'image' ? imagePicture(id, is_operator) : filePicture(id, is_operator)

/** A file's key is `files/<account>/<uuid>_<name>`. */
export const fileName = (key: string): string => /_([^/]+)$/.exec(key)?.[1] ?? key
