// The request forms of the image endpoints: how much is read of each, and how it becomes an order.

import type { Generation } from '../../src/db/schema.ts'
import type { Admitted } from '../../src/exchange/admission.ts'
import type { ReadOrder } from '../../src/exchange/image/call.ts'
import type { Source } from '../../src/exchange/image/order.ts'
import { readJsonBody } from '../../src/exchange/json-body.ts'
import { announcedBytes } from '../../src/http/body.ts'
import type { Library } from '../../src/library/library.ts'
import { checkFields } from './fields.ts'
import { readEditForm } from './form.ts'
import {
  COMPOSE_BODY_LIMIT_BYTES,
  type CommonFields,
  ComposeFields,
  EditFields,
  FORM_BODY_LIMIT_BYTES,
  GenerationFields,
  JSON_BODY_LIMIT_BYTES,
} from './model.ts'
import { composeSources, editSources, orderOf } from './orders.ts'

/** A request as an endpoint takes it. */
export interface RequestForm {
  /**
   * About how much memory reading it takes, in bytes.
   * @throws GatewayError payload_too_large for a body whose announced length is too large
   */
  memoryFor(request: Request): number
  /** @throws GatewayError for what is wrong with the body or its fields */
  read(library: Library, admitted: Admitted): Promise<ReadOrder>
}

/** A JSON body is held as bytes, as text and as parsed strings; inline images are decoded as well. */
const COPIES = 4
/** Inline images as text, as bytes, and in the request that is sent upstream. */
const KEPT_COPIES = 3
/** Of a form only the image is ever in memory, when it is read back from the disk and written into a request. */
const FORM_COPIES = 4

interface JsonForm<F extends CommonFields> {
  kind: Generation['kind']
  body_limit_bytes: number
  check: (values: Readonly<Record<string, unknown>>) => F
  sources: (fields: F) => Source[]
}

function jsonForm<F extends CommonFields>({
  kind,
  body_limit_bytes,
  check,
  sources,
}: JsonForm<F>): RequestForm {
  return {
    memoryFor: (request) => announcedBytes(request, body_limit_bytes) * COPIES,
    async read(_library, { origin }) {
      const { bytes, json } = await readJsonBody(origin.request, body_limit_bytes)
      const fields = check(json)
      const inline = sources(fields)
      const content = [new Bun.CryptoHasher('sha256').update(bytes).digest('hex')]
      const order = orderOf(kind, fields, { sources: inline, content, kept_bytes: inlineBytes(inline) })
      return { order, discard: async () => {} }
    },
  }
}

const inlineBytes = (sources: readonly Source[]): number =>
  sources.reduce((sum, source) => sum + (source.kind === 'inline' ? source.text.length * KEPT_COPIES : 0), 0)

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

const EDIT_FORM: RequestForm = {
  memoryFor: ({ headers }) =>
    Math.min(Number(headers.get('content-length') ?? FORM_BODY_LIMIT_BYTES), FORM_BODY_LIMIT_BYTES) *
    FORM_COPIES,
  read: readEditForm,
}

/** An edit comes in either of two forms, by its Content-Type. */
export const editForm = ({ headers }: Request): RequestForm =>
  /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '') ? EDIT_FORM : EDIT

export const COMPOSE = jsonForm({
  kind: 'compose',
  body_limit_bytes: COMPOSE_BODY_LIMIT_BYTES,
  check: (values) => checkFields(ComposeFields, values),
  sources: composeSources,
})
