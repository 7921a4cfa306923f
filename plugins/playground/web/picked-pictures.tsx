// The pictures sent with a request, each with a button that removes it.
import { X } from 'lucide-react'
import { useViewer } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Thumbnail } from '../../console/web/parts/thumbnail.tsx'
import { type Reference, thumbnailOf } from './reference.ts'

export interface PickedPicturesProps {
  pictures: readonly Reference[]
  /** Undefined once they were sent. */
  onRemove?: (id: string) => void
}

export function PickedPictures({ pictures, onRemove }: PickedPicturesProps) {
  const is_operator = useViewer().role === 'operator'
  return pictures.map((picture) => (
    <span key={picture.id} className="play-reference">
      <Thumbnail src={thumbnailOf(picture, is_operator)} alt={picture.label} />
      {onRemove && (
        <Button small icon={X} aria-label={`Remove ${picture.label}`} onClick={() => onRemove(picture.id)} />
      )}
    </span>
  ))
}
