// Generated images in the library, newest first: a gallery, or a table if their content is hidden.
import { Images as ImagesIcon } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import type { AccountScope } from '../../console/web/parts/account-choice.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { NoneFound } from '../../console/web/parts/paged-table.tsx'
import { imageThumbnail, type ListedImage, Thumbnail } from '../../console/web/parts/pictures.tsx'
import { EmptyState, Loaded } from '../../console/web/parts/states.tsx'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import {
  type Column,
  chargeColumn,
  column,
  endColumn,
  Pager,
  Table,
  useCursor,
} from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { HiddenPictures, useContents } from './hidden-pictures.tsx'
import { KIND_WORDS, sizeOf } from './models.ts'

const PAGE_SIZE = 48

const KINDS = [
  { value: '', label: 'All' },
  { value: 'generation', label: 'Generated' },
  { value: 'edit', label: 'Edited' },
  { value: 'compose', label: 'Composed' },
] as const
type Kind = (typeof KINDS)[number]['value']

export function Generated({ scope }: { scope: AccountScope }) {
  const [state, change] = useAddressState({ kind: '', cursor: '' })
  const cursor = useCursor()
  const { is_operator } = scope
  const { is_visible, content, show, hide } = useContents(is_operator)
  const kind = KINDS.find(({ value }) => value === state.kind)?.value ?? ''
  const query = useApi(['images', scope.account, kind, cursor, is_visible], () =>
    api.images.get({
      query: { ...scope.query, limit: PAGE_SIZE, kind: kind || undefined, cursor, content },
    }),
  )
  return (
    <div className="stack">
      <div className="spread list-head">
        <Choices<Kind>
          label="Kind"
          options={KINDS}
          value={kind}
          onChange={(chosen) => change({ kind: chosen, cursor: '' })}
        />
        <div className="row">
          {is_operator && is_visible && <Button onClick={hide}>Hide images</Button>}
          <ExportCsv list="images" query={{ ...scope.query, kind, content }} />
        </div>
      </div>
      {is_operator && !is_visible && (
        <HiddenPictures onShow={show}>
          Prompts and pictures are private to their account. They are hidden until you show them.
        </HiddenPictures>
      )}
      <Loaded query={query} rows={8}>
        {({ images, next_cursor }) => (
          <>
            {images.length === 0 && (kind !== '' || cursor !== undefined) ? (
              <NoneFound what="images" clear={() => change({ kind: '', cursor: '' })} />
            ) : images.length === 0 ? (
              <NoImages is_operator={is_operator} />
            ) : is_visible ? (
              <Gallery images={images} is_operator={is_operator} />
            ) : (
              <Table
                label="Images"
                columns={COLUMNS}
                rows={images}
                keyOf={({ id }) => id}
                hrefOf={hrefOf}
                linkNameOf={({ account, id }) => `${account} ${id}`}
              />
            )}
            <Pager next_cursor={next_cursor} />
          </>
        )}
      </Loaded>
    </div>
  )
}

const hrefOf = ({ id }: ListedImage): string => `/library/${id}`

const TONES: Record<ListedImage['state'], Tone> = {
  generating: 'busy',
  stored: 'good',
  failed: 'bad',
  missing: 'warn',
}

const COLUMNS: readonly Column<ListedImage>[] = [
  column('created', 'Created', 'first', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  column('account', 'Account', 'second', (image) => <RowAccount {...image} />),
  column('model', 'Model', 'none', ({ model }) => model),
  column('kind', 'Kind', 'none', ({ kind }) => KIND_WORDS[kind]),
  endColumn('size', 'Size', 'none', (image) => sizeOf(image)),
  column('state', 'State', 'second-end', ({ state }) => <Status tone={TONES[state]}>{state}</Status>),
  chargeColumn('cost', 'Charge, USD', 'first-end', ({ cost_nanos }) => cost_nanos),
]

function Gallery({ images, is_operator }: { images: readonly ListedImage[]; is_operator: boolean }) {
  return (
    <ul className="gallery">
      {images.map((image) => (
        <li key={image.id}>
          <Link className="tile" href={`${hrefOf(image)}${is_operator ? '?content=shown' : ''}`}>
            {image.state === 'stored' || image.state === 'missing' ? (
              <Thumbnail src={imageThumbnail(image.id, is_operator)} alt={image.prompt ?? 'An image'} />
            ) : (
              <span className="thumbnail thumbnail-missing">
                <Status tone={TONES[image.state]}>{image.state}</Status>
              </span>
            )}
            <span className="tile-label">{image.prompt}</span>
            <span className="spread small soft">
              <ClockTime at_ms={image.created_at_ms} />
              {is_operator ? <RowAccount {...image} /> : <Money nanos={image.cost_nanos} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function NoImages({ is_operator }: { is_operator: boolean }) {
  return (
    <EmptyState
      icon={ImagesIcon}
      title="No images yet"
      action={
        <ButtonLink look={is_operator ? 'plain' : 'primary'} href="/playground?tab=images" right="call">
          Open the playground
        </ButtonLink>
      }
    >
      Images generated by the API or in the playground are kept here, to edit or to use as references.
    </EmptyState>
  )
}
