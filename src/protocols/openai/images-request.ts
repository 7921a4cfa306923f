// The request to OpenAI's images API: generations in JSON, edits of one or several images as a form.
import type { ImageRequest, ImageTarget, Reference } from '../images.ts'
import type { NamedModel } from '../named-model.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { familyOf } from './images-models.ts'

/** https://platform.openai.com/docs/api-reference/images/create and /createEdit */
export function encodeImageRequest(request: ImageRequest, model: NamedModel): ImageTarget {
  const fields = fieldsOf(request, model)
  if (request.references.length === 0) {
    return {
      path: '/images/generations',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }
  }
  const { content_type, body } = encodeForm(fields, request)
  return { path: '/images/edits', headers: { 'content-type': content_type }, body }
}

function fieldsOf(request: ImageRequest, named: NamedModel): JsonObject {
  const { prompt, count, size, aspect_ratio, quality, background, output_format } = request
  const { output_compression, input_fidelity, moderation, partial_images = 0 } = request
  const family = familyOf(named)
  const desired = size ?? (family.takes_gpt_fields ? aspect_ratio : undefined)
  const made = desired && family.sizeFor(desired)
  const common = { model: named.model, prompt, n: count, size: made && `${made.width}x${made.height}` }
  return compact(
    family.takes_gpt_fields
      ? {
          ...common,
          quality,
          background,
          output_format: formatFor(background, output_format),
          output_compression,
          input_fidelity,
          moderation,
          ...(partial_images > 0 ? { stream: true, partial_images } : {}),
        }
      : { ...common, response_format: 'b64_json' },
  )
}

/** JPEG cannot be transparent; PNG is the API's default. */
const formatFor = (background: string | undefined, format: string | undefined): string | undefined =>
  background === 'transparent' && format === 'jpeg' ? 'png' : format

/** A form (RFC 7578): the fields, then each image under `image[]`, or under `image` where there is one, then the mask. */
function encodeForm(
  fields: JsonObject,
  { references, mask }: Pick<ImageRequest, 'references' | 'mask'>,
): { content_type: string; body: Uint8Array } {
  const boundary = `tollgate-${crypto.randomUUID()}`
  const parts: (string | Uint8Array)[] = []
  for (const [name, value] of Object.entries(fields))
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  const name = references.length === 1 ? 'image' : 'image[]'
  const addFile = (field: string, stem: string | number, { bytes, mime }: Reference): void => {
    const filename = `${stem}.${mime.slice('image/'.length)}`
    const head = `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${mime}`
    parts.push(`--${boundary}\r\n${head}\r\n\r\n`, bytes, '\r\n')
  }
  for (const [index, image] of references.entries()) addFile(name, index + 1, image)
  if (mask) addFile('mask', 'mask', mask)
  parts.push(`--${boundary}--\r\n`)
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  }
}
