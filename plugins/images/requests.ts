// The request forms of the image endpoints: how much is read of each, and how it becomes an order.
import type { Generation } from '../../src/db/schema.ts'
import type { BodyParts } from '../../src/exchange/bodies/parts.ts'
import type { ReadOrder } from '../../src/exchange/image/call.ts'
import { inlineBytes, type Source } from '../../src/exchange/image/order.ts'
import { type InlineImages, readImagesBody } from '../../src/exchange/image/read-body.ts'
import type { Admitted } from '../../src/exchange/life/admission.ts'
import type { Library } from '../../src/library/library.ts'
import { checkFields } from './fields.ts'
import { readEditForm } from './form.ts'
import {
  COMPOSE_BODY_LIMIT_BYTES,
  type CommonFields,
  ComposeFields,
  EditFields,
  GenerationFields,
  JSON_BODY_LIMIT_BYTES,
} from './model.ts'
import { composeSources, editSources, orderOf } from './orders.ts'

export interface FormParts {
  library: Library
  bodies: BodyParts
}

/** A request as an endpoint takes it. */
export interface RequestForm {
  /** @throws GatewayError for what is wrong with the body or its fields */
  read(parts: FormParts, admitted: Admitted): Promise<ReadOrder>
}

interface JsonForm<F extends CommonFields> {
  kind: Generation['kind']
  body_limit_bytes: number
  check: (values: Readonly<Record<string, unknown>>) => F
  sources: (fields: F, images: InlineImages) => Source[]
}

function jsonForm<F extends CommonFields>({
  kind,
  body_limit_bytes,
  check,
  sources,
}: JsonForm<F>): RequestForm {
  return {
    async read({ bodies }, admitted) {
      const { json, images, sha256 } = await readImagesBody(bodies, admitted, body_limit_bytes)
      const fields = check(json)
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
  check: (values) => checkFields(GenerationFields, values),
  sources: () => [],
})

const EDIT = jsonForm({
  kind: 'edit',
  body_limit_bytes: JSON_BODY_LIMIT_BYTES,
  check: (values) => checkFields(EditFields, values),
  sources: editSources,
})

const EDIT_FORM: RequestForm = { read: readEditForm }

/** An edit comes in either of two forms, by its Content-Type. */
export const editForm = ({ headers }: Request): RequestForm =>
  /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '') ? EDIT_FORM : EDIT

export const COMPOSE = jsonForm({
  kind: 'compose',
  body_limit_bytes: COMPOSE_BODY_LIMIT_BYTES,
  check: (values) => checkFields(ComposeFields, values),
  sources: composeSources,
})
