// The inline images of a text request in types that its model takes: others are made into PNG or JPEG before anything is priced.
import type { TextModel } from '../../domain/catalogue.ts'
import { invalidRequest } from '../../domain/errors.ts'
import { reencode, sniffReadable } from '../../media/reencode.ts'
import { gemini } from '../../protocols/gemini/index.ts'
import { GEMINI_IMAGE_TYPES, imageTypesOf } from '../../protocols/image-types.ts'
import type { Medium } from '../../protocols/media-places.ts'
import { base64Of } from '../../protocols/wire/base64.ts'
import { askedRoutes } from '../../upstream/routes.ts'
import { costsNothing, rejectUnpayable } from '../bodies/arrival.ts'
import type { Admitted } from '../life/call.ts'
import type { ExchangeParts } from '../parts.ts'
import type { TextBody } from './body.ts'

/** spec.md, Native generation request, has a list of its own ("Allowed image MIME types"), which is what its provider takes. */
const ALLOWED_BY_CALLER = new Map([[gemini.name, GEMINI_IMAGE_TYPES]])

/** Each takes up to a second of a processor, and comes before anything is held. */
const MAX_CONVERTED_IMAGES = 20

/**
 * @param protocol the caller's
 * @returns the very same body where all its images are taken by all of the model's routes
 * @throws GatewayError invalid_request for an image that no route takes and that cannot be decoded; insufficient_balance
 */
export async function withTakenImages(
  parts: ExchangeParts,
  { caller }: Pick<Admitted, 'caller'>,
  { model, body, protocol }: { model: TextModel; body: TextBody; protocol: string },
): Promise<TextBody> {
  if (!body.has_images) return body
  const { by_all, by_any } = takenBy(parts, model)
  if (!by_all) return body
  const others = await body.imagesBeyond(protocol, by_all)
  // The surface refuses other types itself when the request is read.
  const allowed = ALLOWED_BY_CALLER.get(protocol)
  if (others.every(({ mime_type }) => allowed?.includes(mime_type ?? '') === false)) return body
  if (!costsNothing(model)) await rejectUnpayable(caller.account, parts.bodies.accountOf)
  if (others.length > MAX_CONVERTED_IMAGES)
    throw invalidRequest(
      `The request has ${others.length} images in types that this model does not take, and at most ${MAX_CONVERTED_IMAGES} are converted. Send ${by_all.join(', ')}.`,
    )
  const changed: Medium[] = []
  for (const image of others) changed.push(await takenForm(image, by_all, by_any))
  return await body.withImages(protocol, by_all, changed)
}

function takenBy(
  { catalogue }: ExchangeParts,
  model: TextModel,
): { by_all: readonly string[] | undefined; by_any: readonly string[] } {
  const lists = askedRoutes(catalogue(), model).map(({ provider }) => imageTypesOf(provider) ?? [])
  const known = lists.filter((types) => types.length > 0)
  const [first, ...rest] = known
  return {
    by_all: first?.filter((type) => rest.every((types) => types.includes(type))),
    by_any: known.length < lists.length ? [] : known.flat(),
  }
}

async function takenForm(
  image: Medium,
  by_all: readonly string[],
  by_any: readonly string[],
): Promise<Medium> {
  const bytes = Buffer.from(image.data, 'base64')
  const found = sniffReadable(bytes)
  if (found !== undefined && by_all.includes(found)) return { ...image, mime_type: found }
  if (found !== undefined) {
    const { bytes: encoded, mime_type } = await reencode(bytes)
    return { ...image, mime_type, data: base64Of(encoded) }
  }
  if (image.mime_type !== undefined && by_any.includes(image.mime_type)) return image
  throw invalidRequest(
    `An image of type ${(image.mime_type || 'unknown').slice(0, 64)} is not taken by this model. Send one of ${by_all.join(', ')}; TIFF and AVIF are converted.`,
  )
}
