// Addresses of generated images and uploaded files, whole and as thumbnails.
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import type { AnswerOf, api } from '../app/client.ts'
import { addressOf } from '../app/gateway-address.ts'
import { withQuery } from './address-state.ts'

export type ListedImage = AnswerOf<typeof api.images.get>['images'][number]

/** The operator must request private content explicitly, which is logged; other viewers see their own. */
const contentOf = (is_operator: boolean) => ({ content: is_operator ? 'shown' : undefined })

/** The path of a whole picture, for `sendRaw`. @param id the id of a generated image, or the key of a file */
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

/** The address of the playground with a reference picture. @param id the id of a generated image, or the key of a file */
export const asReference = (id: string, account: string | undefined): string =>
  withQuery('/playground', { tab: 'images', from: id, account })

interface ThumbnailProps {
  src: string
  alt: string
}

/** A thumbnail, loaded when it is scrolled into view; its space is reserved. */
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
