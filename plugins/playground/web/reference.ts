// A picture that is sent along: a produced image by its id, or an uploaded file by its key.
import { filePicture, fileThumbnail, imagePicture, imageThumbnail } from '../../console/web/parts/pictures.ts'

export interface Reference {
  is: 'image' | 'file'
  id: string
  label: string
}

/** Where it is, small. */
export const thumbnailOf = ({ is, id }: Reference, is_operator: boolean): string =>
  is === 'image' ? imageThumbnail(id, is_operator) : fileThumbnail(id, is_operator)

/** Where it is, whole. */
export const pictureOf = ({ is, id }: Reference, is_operator: boolean): string =>
  is === 'image' ? imagePicture(id, is_operator) : filePicture(id, is_operator)

/** A file's key is `files/<account>/<uuid>_<name>`. */
export const fileName = (key: string): string => /_([^/]+)$/.exec(key)?.[1] ?? key
