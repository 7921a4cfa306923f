// Pictures as the server has them: produced images and files, whole and as thumbnails.
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import type { AnswerOf, api } from '../app/client.ts'
import { addressOf } from '../app/place.ts'
import { withQuery } from './address-state.ts'

/** A produced image in a list. */
export type ListedImage = AnswerOf<typeof api.images.get>['images'][number]

/** The operator requests the content, which is logged; everybody else sees their own. */
const contentOf = (is_operator: boolean) => ({ content: is_operator ? 'shown' : undefined })

/** The path of a whole picture, for `sendRaw`. @param id a produced image's id, a file's key */
export const picturePath = (is: 'image' | 'file', id: string, is_operator: boolean): `/${string}` =>
  is === 'image'
    ? withQuery(`/console/api/images/${id}/picture`, contentOf(is_operator))
    : withQuery('/console/api/files/picture', { key: id, ...contentOf(is_operator) })

export const imagePicture = (id: string, is_operator: boolean): string =>
  addressOf(picturePath('image', id, is_operator))
export const imageThumbnail = (id: string, is_operator: boolean): string =>
  addressOf(withQuery(`/console/api/images/${id}/thumbnail`, contentOf(is_operator)))
export const filePicture = (key: string, is_operator: boolean): string =>
  addressOf(picturePath('file', key, is_operator))
export const fileThumbnail = (key: string, is_operator: boolean): string =>
  addressOf(withQuery('/console/api/files/thumbnail', { key, ...contentOf(is_operator) }))

/** The playground with a picture to work from: a produced image by its id, a file by its key. */
export const asReference = (id: string, account: string | undefined): string =>
  withQuery('/playground', { tab: 'images', from: id, account })

interface ThumbnailProps {
  src: string
  /** What it shows: the prompt, the file's name. */
  alt: string
}

/** Loaded once it comes into view, in room that is there from the beginning. */
export function Thumbnail({ src, alt }: ThumbnailProps) {
  const [is_missing, setMissing] = useState(false)
  return (
    <span className="thumbnail">
      {is_missing ? (
        <span className="thumbnail-missing soft" role="img" aria-label={`${alt} (cannot be shown)`}>
          <ImageOff aria-hidden />
        </span>
      ) : (
        <img src={src} alt={alt} loading="lazy" decoding="async" onError={() => setMissing(true)} />
      )}
    </span>
  )
}
