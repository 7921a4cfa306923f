// The pictures that are sent along, each with a way to leave it out.
import { X } from 'lucide-react'
import { useViewer } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Thumbnail } from '../../console/web/parts/thumbnail.tsx'
import { type Reference, thumbnailOf } from './reference.ts'

export interface PickedPicturesProps {
  pictures: readonly Reference[]
  /** Absent where they were sent already. */
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
