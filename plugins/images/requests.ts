// The request formats of the image endpoints: body limits, and conversion of a request into an order.
import type { BodyParts } from '../../src/calls/bodies/parts.ts'
import type { ReadOrder } from '../../src/calls/kinds/image/call.ts'
import { inlineBytes, kindForSourceCount, type Source } from '../../src/calls/kinds/image/order.ts'
import { type InlineImages, readImagesBody } from '../../src/calls/kinds/image/read-body.ts'
import type { Admitted } from '../../src/calls/life/call.ts'
import type { Catalogue, ImageModel } from '../../src/domain/catalogue.ts'
import { bodyTooLarge } from '../../src/http/body.ts'
import type { Library } from '../../src/library/library.ts'
import type { Generation } from '../../src/store/schema.ts'
import { readEditForm } from './form.ts'
import {
  COMPOSE_BODY_LIMIT_BYTES,
  type CommonFields,
  fieldsFor,
  imageModelOf,
  JSON_BODY_LIMIT_BYTES,
} from './model.ts'
import { checkFields, composeSources, editSources, orderOf, sourceOf } from './orders.ts'

interface FormParts {
  library: Library
  bodies: BodyParts
  catalogue: () => Catalogue
}

/** A request format of an endpoint. */
export interface RequestForm {
  /** Reads a request. @throws GatewayError if the body or a field is invalid */
  read(parts: FormParts, admitted: Admitted): Promise<ReadOrder>
}

type Values = Readonly<Record<string, unknown>>

interface JsonForm<F extends CommonFields> {
  kind: Generation['kind']
  body_limit_bytes: number
  check: (values: Values, model: ImageModel | undefined) => F
  sources: (fields: F, images: InlineImages) => Source[]
}

function jsonForm<F extends CommonFields>({
  kind,
  body_limit_bytes,
  check,
  sources,
}: JsonForm<F>): RequestForm {
  return {
    async read({ bodies, catalogue }, admitted) {
      const { json, images, sha256 } = await readImagesBody(bodies, admitted, body_limit_bytes)
      const fields = check(json, imageModelOf(catalogue().models, json.model))
      const inline = sources(fields, images)
      const content = [sha256]
      const order = orderOf(kind, fields, { sources: inline, content, kept_bytes: inlineBytes(inline) })
      return { order, discard: async () => {} }
    },
  }
}

export const GENERATION = jsonForm({
  kind: 'generation',
  body_limit_bytes: JSON_BODY_LIMIT_BYTES,
  check: (values, model) => checkFields(fieldsFor.generation(model), values),
  sources: () => [],
})

/** The body limit is higher if any model accepts images in an edit; other models keep the smaller limit, checked after reading. */
const EDIT: RequestForm = {
  async read({ bodies, catalogue }, admitted) {
    const { models } = catalogue()
    const takes_images = models.values().some((model) => model.kind === 'image' && model.edit_images)
    const limit_bytes = takes_images ? COMPOSE_BODY_LIMIT_BYTES : JSON_BODY_LIMIT_BYTES
    const { json, images, sha256, size_bytes } = await readImagesBody(bodies, admitted, limit_bytes)
    const model = imageModelOf(models, json.model)
    if (!model?.edit_images && size_bytes > JSON_BODY_LIMIT_BYTES) throw bodyTooLarge(JSON_BODY_LIMIT_BYTES)
    const fields = checkFields(fieldsFor.edit(model), json)
    const sources = editSources(fields, images)
    const mask_source = fields.mask && sourceOf(fields.mask, 'mask', images)
    const order = orderOf('edit', fields, {
      sources,
      content: [sha256],
      kept_bytes: inlineBytes(mask_source ? [...sources, mask_source] : sources),
      mask_source,
    })
    return { order: { ...order, kind: kindForSourceCount(sources.length) }, discard: async () => {} }
  },
}

const EDIT_FORM: RequestForm = { read: readEditForm }

/** Chooses the format of an edit by its Content-Type. */
export const editForm = ({ headers }: Request): RequestForm =>
  /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '') ? EDIT_FORM : EDIT

export const COMPOSE = jsonForm({
  kind: 'compose',
  body_limit_bytes: COMPOSE_BODY_LIMIT_BYTES,
  check: (values, model) => checkFields(fieldsFor.compose(model), values),
  sources: composeSources,
})
