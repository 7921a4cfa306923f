// The references of an image request: picked pictures, and dropped ones.
import { DropZone } from '../../console/web/parts/drop-zone.tsx'
import { MAX_REFERENCES } from './generation.ts'
import { PickedPictures } from './picked-pictures.tsx'
import type { Reference } from './reference.ts'
import { useUploads } from './use-uploads.ts'

export interface ReferencesProps {
  references: readonly Reference[]
  onChange: (references: readonly Reference[]) => void
  account: string | undefined
}

export function References({ references, onChange, account }: ReferencesProps) {
  const uploads = useUploads(account, (added) => onChange([...references, ...added].slice(-MAX_REFERENCES)))
  const left = MAX_REFERENCES - references.length
  return (
    <div className="play-references">
      <PickedPictures
        pictures={references}
        onRemove={(removed) => onChange(references.filter(({ id }) => id !== removed))}
      />
      {left > 0 && (
        <DropZone
          verb="Add a picture"
          busy={uploads.busy}
          onFiles={(files) => uploads.add(files.slice(0, left))}
        >
          {references.length === 0
            ? 'to edit: choose one below, or drop one here. Up to three can be combined.'
            : 'to combine with it'}
        </DropZone>
      )}
    </div>
  )
}
