// The pictures sent with a request: uploaded for the account that pays, and each with a button that removes it.
import { X } from 'lucide-react'
import { messageOf } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { toast } from '../../console/web/app/toasts.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { uploadFiles } from '../../console/web/parts/files.tsx'
import { fileThumbnail, imageThumbnail, Thumbnail } from '../../console/web/parts/pictures.tsx'
import type { Reference } from './request.ts'

/** Returns the reference to a picture by its id in another page's link: a file's key is `files/<account>/<uuid>_<name>`. */
export const referenceTo = (id: string): Reference =>
  id.startsWith('files/')
    ? { is: 'file', id, label: /_([^/]+)$/.exec(id)?.[1] ?? id }
    : { is: 'image', id, label: 'the chosen image' }

/** @param onAdded called with the uploaded files; a refusal becomes a toast */
export function useUploads(account: string | undefined, onAdded: (added: Reference[]) => void) {
  const upload = useAction({
    work: (files: File[]) => uploadFiles(files, { account }),
    changes: ['files'],
  })
  async function add(files: File[]): Promise<void> {
    try {
      onAdded((await upload.runOrThrow(files)).map(referenceTo))
    } catch (failure) {
      toast({ tone: 'bad', text: messageOf(failure), subject: 'files' })
    }
  }
  return { busy: upload.busy, add: (files: File[]) => void add(files) }
}

interface PickedPicturesProps {
  pictures: readonly Reference[]
  /** Undefined once they were sent. */
  onRemove?: (id: string) => void
}

export function PickedPictures({ pictures, onRemove }: PickedPicturesProps) {
  const is_operator = useViewer().side === 'operator'
  if (pictures.length === 0) return null
  return (
    <div className="play-references">
      {pictures.map(({ is, id, label }) => (
        <span key={id} className="play-reference">
          <Thumbnail
            src={is === 'image' ? imageThumbnail(id, is_operator) : fileThumbnail(id, is_operator)}
            alt={label}
          />
          {onRemove && <Button small icon={X} aria-label={`Remove ${label}`} onClick={() => onRemove(id)} />}
        </span>
      ))}
    </div>
  )
}
