// The fields of the image endpoints: one schema for each kind of request, which types and validation derive from.
import { type Static, type TObject, Type } from '@sinclair/typebox'
import {
  type Catalogue,
  EXTRA_QUALITIES,
  type ExtraQuality,
  type ImageModel,
} from '../../src/domain/catalogue.ts'
import { OUTPUT_FORMATS } from '../../src/domain/image-formats.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'

const MEGABYTE = 1024 * 1024

/** spec.md, Limits, and silent.md, Images. */
export const JSON_BODY_LIMIT_BYTES = MEGABYTE
export const FORM_BODY_LIMIT_BYTES = 26 * MEGABYTE
export const COMPOSE_BODY_LIMIT_BYTES = 100 * MEGABYTE
/** spec.md, Image compose request, rule 1. */
export const MAX_REFERENCES = 3

const text = (must: string) => Type.String({ must })

/** Values that every model accepts. A model's catalogue entry may list further ones. */
const QUALITIES = ['auto', 'high', 'medium', 'low'] as const
type Quality = (typeof QUALITIES)[number] | ExtraQuality

/** `must` is the error message for a wrong value. */
const common = {
  model: Type.String({ minLength: 1, must: 'the name of a model' }),
  // Characters are code points. A prompt of only white space counts as empty.
  prompt: Type.RegExp(/^(?=[\s\S]*\S)[\s\S]{1,32000}$/u, { must: 'a text of 1 to 32000 characters' }),
  n: Type.Optional(Type.Integer({ minimum: 1, must: 'a whole number, 1 or more' })),
  size: Type.Optional(text('"auto" or WIDTHxHEIGHT in digits, such as 1024x1024')),
  aspect_ratio: Type.Optional(text('WIDTH:HEIGHT in digits, such as 16:9')),
  quality: Type.Optional(OneOf<Quality>(QUALITIES)),
  background: Type.Optional(OneOf(['auto', 'transparent', 'opaque'])),
  /** Accepted, but images are always returned in base64. */
  response_format: Type.Optional(OneOf(['b64_json', 'url'])),
  /** OpenAI's two names for an id of the caller's own user. Accepted, and not passed on. */
  user: Type.Optional(text('a text')),
  safety_identifier: Type.Optional(text('a text')),
}

/** From OpenAI's API. */
const streamed = {
  stream: Type.Optional(Type.Boolean({ must: 'true or false' })),
  partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, must: 'a whole number from 0 to 3' })),
}
const encoding = {
  output_format: Type.Optional(OneOf(OUTPUT_FORMATS)),
  output_compression: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, must: 'a whole number from 0 to 100' }),
  ),
}
const input_fidelity = Type.Optional(OneOf(['high', 'low']))
const moderation = Type.Optional(OneOf(['auto', 'low']))
const references = (of: string) => Type.Optional(Type.Array(text(of), { must: `an array of ${of}s` }))

export const GenerationFields = Closed({ ...common, ...streamed, ...encoding, moderation })

const EditFields = Closed({
  ...common,
  ...streamed,
  ...encoding,
  input_fidelity,
  image_key: Type.Optional(text('a key that the upload endpoint answered')),
  generation_id: Type.Optional(text('the UUID of an earlier image')),
})

/** An image by URL (https or data URI), or by key or UUID. `sourceOf` checks that exactly one of the two is present. */
const imageReference = (must: string) =>
  Closed(
    {
      image_url: Type.Optional(text('an https URL or data URI')),
      file_id: Type.Optional(
        text('a key that the upload endpoint answered, or the UUID of an earlier image'),
      ),
    },
    { must },
  )

/** Fields of OpenAI's API, for models whose entry has `edit_images`. */
const image_fields = {
  images: Type.Optional(
    Type.Array(imageReference('an object with image_url or file_id'), {
      minItems: 1,
      maxItems: MAX_REFERENCES,
      must: `an array of 1 to ${MAX_REFERENCES} objects with image_url or file_id`,
    }),
  ),
  mask: Type.Optional(imageReference('an object with image_url or file_id')),
}

/** The text fields of an edit as a form. */
const FormFields = Closed({ ...common, ...streamed, ...encoding, input_fidelity })

/** The fields of a compose, which always returns PNG. */
export const ComposeFields = Closed({
  ...common,
  image_keys: references('storage key'),
  generation_ids: references('UUID'),
  image_urls: references('https URL or data URI'),
})

/** The fields of a form, for the API reference; form.ts reads the form as a stream. */
export const EditForm = Type.Object({
  image: Type.Array(Type.String({ format: 'binary' }), {
    description: 'One to three images, also as image[].',
  }),
  mask: Type.Optional(
    Type.String({ format: 'binary', description: 'What is to be changed, as a PNG of at most 4 MB.' }),
  ),
  ...FormFields.properties,
})

/** The fields of an edit as JSON, for models that accept images and a mask there. */
export const ImageEditFields = Closed({ ...EditFields.properties, ...image_fields })

/** Finds an image model by name, because its entry may allow more values. The caller's access is checked later. */
export function imageModelOf(models: Catalogue['models'], id: unknown): ImageModel | undefined {
  const model = typeof id === 'string' ? models.get(id) : undefined
  return model?.kind === 'image' ? model : undefined
}

const extended_schemas = new Map<string, TObject>()

/** Extends the schema with the values of `quality` that only this model accepts. */
function withQualities<S extends TObject>(schema: S, name: string, model: ImageModel | undefined): S {
  const extra = EXTRA_QUALITIES.filter((quality) => model?.qualities.includes(quality))
  if (extra.length === 0) return schema
  const key = [name, ...extra].join(' ')
  const known = extended_schemas.get(key)
  if (known) return known as S
  const quality = Type.Optional(OneOf<Quality>([...QUALITIES, ...extra]))
  const made = Closed({ ...schema.properties, quality })
  extended_schemas.set(key, made)
  return made as TObject as S
}

/** The schema of each kind of request for a model; without a model, the fields that all models accept. */
export const fieldsFor = {
  generation: (model: ImageModel | undefined) => withQualities(GenerationFields, 'generation', model),
  edit: (model: ImageModel | undefined) =>
    model?.edit_images
      ? withQualities(ImageEditFields, 'edit with images', model)
      : (withQualities(EditFields, 'edit', model) as typeof ImageEditFields),
  form: (model: ImageModel | undefined) => withQualities(FormFields, 'form', model),
  compose: (model: ImageModel | undefined) => withQualities(ComposeFields, 'compose', model),
}

export type CommonFields = Static<typeof GenerationFields> & Pick<EditRequest, 'input_fidelity'>
export type ComposeRequest = Static<typeof ComposeFields>
export type EditRequest = Static<typeof ImageEditFields>
export type ImageReference = NonNullable<EditRequest['mask']>
