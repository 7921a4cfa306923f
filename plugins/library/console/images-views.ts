// Schemas of generated images in responses of the console.
import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { DISPLAY_NAME, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { ACCOUNT_PARAMETER } from '../../../src/app/surface/console/references.ts'
import { formatOf, type ImageFormat } from '../../../src/domain/image-formats.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../../src/http/paging.ts'
import { ModelName } from '../../../src/http/parameters.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { money, NullableMoneyFields, NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import type { Generation } from '../../../src/store/schema.ts'
import type { HistoryImage } from '../history.ts'
import type { Relative } from '../lineage.ts'
import { CONTENT, keyForViewer } from './content.ts'

const Kind = OneOf(['generation', 'edit', 'compose'])

export const IMAGE_FILTERS = {
  ...CONTENT,
  ...ACCOUNT_PARAMETER,
  model: Type.Optional(ModelName),
  kind: Type.Optional(Kind),
}
export const ImagesQuery = Closed({ ...IMAGE_FILTERS, ...PAGE_PARAMETERS })

export const ImageParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    must: 'the id of an image, a UUID in lower case',
  }),
})

export const ContentQuery = Closed(CONTENT)

/** Fields are null until the image is stored. Content is null if the operator has not requested it. */
const IMAGE = {
  id: Type.String(),
  kind: Kind,
  model: Type.String(),
  prompt: Nullable(Type.String()),
  revised_prompt: Nullable(Type.String()),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  format: Nullable(OneOf<ImageFormat>(['png', 'jpeg', 'webp', 'gif'])),
  bytes: Nullable(Type.Integer()),
  state: OneOf(['generating', 'stored', 'failed', 'missing']),
  parents: Type.Array(Type.String()),
  ...TimeFields('created'),
}

export const ListedImage = Closed({
  ...IMAGE,
  account_id: Type.Integer(),
  account: Type.String(),
  ...DISPLAY_NAME,
  /** Of the call that generated the image. */
  request_id: Nullable(Type.String()),
  ...NullableMoneyFields('cost'),
})

export const ImagesView = Closed({ images: Type.Array(ListedImage), ...PAGE_FIELDS })

const RelativeView = Closed({
  /** A file's key or an image's id. */
  id: Type.String(),
  /** Below 0 for sources of the image, above 0 for images made from it. */
  generation: Type.Integer(),
  parents: Type.Array(Type.String()),
  is: OneOf(['image', 'file', 'deleted']),
  /** The prompt of an image, or the name of a file. */
  label: Nullable(Type.String()),
  ...NullableTimeFields('created'),
})

export const ImageView = Closed({ ...IMAGE, lineage: Type.Array(RelativeView) })

export const DeletedView = Closed({ id: Type.String(), deleted: Type.Literal(true) })

/** The viewer of an image, and what they may see of it. */
interface ViewOptions {
  viewer: Viewer
  /** With prompts and names. */
  is_visible: boolean
}

function fieldsOf(row: Generation, { is_visible, viewer }: ViewOptions) {
  const { uuid, kind, model, width, height, mime, bytes, state, parents } = row
  const { prompt, revised_prompt } = is_visible ? row : HIDDEN
  return {
    id: uuid,
    kind,
    model,
    prompt,
    revised_prompt,
    width,
    height,
    format: mime === null ? null : formatOf(mime),
    bytes,
    state: row.missing_since_ms === null ? state : ('missing' as const),
    parents: parents.map((key) => keyForViewer(viewer, key)),
    ...time('created', row.created_at_ms),
  }
}

const HIDDEN = { prompt: null, revised_prompt: null }

export const listedView = (row: HistoryImage, options: ViewOptions): Unnamed<Static<typeof ListedImage>> => ({
  ...fieldsOf(row, options),
  account_id: row.account_id,
  account: row.account_name,
  request_id: row.request_id,
  ...money('cost', row.cost_nanos),
})

export const imageView = (
  row: Generation,
  lineage: readonly Relative[],
  options: ViewOptions,
): Static<typeof ImageView> => ({
  ...fieldsOf(row, options),
  lineage: lineage.map((relative) => relativeView(relative, options)),
})

function relativeView(
  { id, generation, parents, is }: Relative,
  { is_visible, viewer }: ViewOptions,
): Static<typeof RelativeView> {
  const common = {
    id: keyForViewer(viewer, id),
    generation,
    parents: parents.map((key) => keyForViewer(viewer, key)),
    is: is.kind,
  }
  if (is.kind === 'deleted') return { ...common, label: null, ...time('created', null) }
  const label = is.kind === 'image' ? is.row.prompt : is.row.name
  return { ...common, label: is_visible ? label : null, ...time('created', is.row.created_at_ms) }
}
