// Lineage of an image as a small tree: its sources above, its siblings beside, and images made from it below.
import { CornerDownRight } from 'lucide-react'
import { Link } from 'wouter'
import { fileThumbnail, imageThumbnail, Thumbnail } from '../../console/web/parts/pictures.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { ImageDetails, Relative } from './models.ts'

interface LineageProps {
  image: ImageDetails
  is_operator: boolean
  is_visible: boolean
}

/** Indented by generation, oldest first. */
export function Lineage({ image, is_operator, is_visible }: LineageProps) {
  const eldest = Math.min(...image.lineage.map(({ generation }) => generation))
  return (
    <ol className="image-lineage">
      {image.lineage.map((relative) => (
        <li
          key={relative.id}
          style={{ '--depth': relative.generation - eldest } as object}
          aria-current={relative.id === image.id ? 'true' : undefined}
        >
          {relative.generation > eldest && <CornerDownRight className="icon soft" aria-hidden />}
          {is_visible && relative.is !== 'deleted' && (
            <span className="image-lineage-picture">
              <Thumbnail src={thumbnailOf(relative, is_operator)} alt="" />
            </span>
          )}
          <span className="image-lineage-words">
            <RelativeName
              relative={relative}
              is_this={relative.id === image.id}
              is_operator={is_operator}
              is_visible={is_visible}
            />
            <span className="small soft">
              {WORDS[relative.is]}
              {relative.created_at_ms !== null && (
                <>
                  , <Time at_ms={relative.created_at_ms} />
                </>
              )}
              {relative.generation === 0 &&
                (relative.id === image.id ? ', this one' : ', from the same source')}
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}

const WORDS: Record<Relative['is'], string> = {
  image: 'image',
  file: 'uploaded file',
  deleted: 'deleted since',
}

const thumbnailOf = ({ is, id }: Relative, is_operator: boolean): string =>
  is === 'file' ? fileThumbnail(id, is_operator) : imageThumbnail(id, is_operator)

interface RelativeNameProps {
  relative: Relative
  is_this: boolean
  is_operator: boolean
  is_visible: boolean
}

function RelativeName({ relative, is_this, is_operator, is_visible }: RelativeNameProps) {
  const { is, id, label } = relative
  const text = label ?? (is === 'deleted' ? 'Deleted' : id.slice(0, 8))
  if (is_this || is !== 'image') return <span className="image-lineage-label">{text}</span>
  const query = is_operator && is_visible ? '?content=shown' : ''
  return (
    <Link className="image-lineage-label" href={`/library/${id}${query}`}>
      {text}
    </Link>
  )
}
