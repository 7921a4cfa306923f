// The pictures that are worked from: those that were picked, and those that are dropped here.
import { X } from 'lucide-react'
import { toast } from '../../app/toasts.tsx'
import { Button } from '../../parts/button.tsx'
import { useDeed } from '../../parts/deed.ts'
import { DropZone } from '../../parts/drop-zone.tsx'
import { fileThumbnail, imageThumbnail } from '../../parts/pictures.ts'
import { Thumbnail } from '../../parts/thumbnail.tsx'
import { uploadFiles } from '../../parts/upload.ts'
import { MAX_REFERENCES, type Reference } from './drawing.ts'
import { fileName } from './use-asked-reference.ts'

export interface ReferencesProps {
  references: readonly Reference[]
  onChange: (references: readonly Reference[]) => void
  account: string | undefined
  is_operator: boolean
}

export function References({ references, onChange, account, is_operator }: ReferencesProps) {
  const upload = useDeed({
    work: (files: File[]) => uploadFiles(files, account === undefined ? {} : { account }),
    changes: ['files'],
  })
  const left = MAX_REFERENCES - references.length

  async function add(files: File[]): Promise<void> {
    try {
      const keys = await upload.runOrThrow(files.slice(0, left))
      const added = keys.map((key): Reference => ({ is: 'file', id: key, label: fileName(key) }))
      onChange([...references, ...added].slice(-MAX_REFERENCES))
    } catch (failure) {
      toast({ tone: 'bad', text: failure instanceof Error ? failure.message : String(failure) })
    }
  }

  return (
    <div className="play-references">
      {references.map((reference) => (
        <span key={reference.id} className="play-reference">
          <Thumbnail
            src={
              reference.is === 'image'
                ? imageThumbnail(reference.id, is_operator)
                : fileThumbnail(reference.id, is_operator)
            }
            alt={reference.label}
          />
          <Button
            small
            icon={X}
            aria-label={`Remove ${reference.label}`}
            onClick={() => onChange(references.filter(({ id }) => id !== reference.id))}
          />
        </span>
      ))}
      {left > 0 && (
        <DropZone verb="Add a picture" busy={upload.busy} onFiles={(files) => void add(files)}>
          {references.length === 0
            ? 'to edit: press one below, or drop one here. Up to three are composed into one.'
            : 'to compose with it'}
        </DropZone>
      )}
    </div>
  )
}
