// Images that a model accepts: other inline images of a text request are converted to PNG or JPEG before the call is priced.
import type { TextModel } from '../../../domain/catalogue.ts'
import { invalidRequest } from '../../../domain/errors.ts'
import { isAnimatedData } from '../../../media/animation.ts'
import { reencode, sniffReadable } from '../../../media/sendable.ts'
import { gemini } from '../../../protocols/gemini/index.ts'
import {
  type AcceptedImages,
  GEMINI_IMAGE_TYPES,
  type ImageTypes,
  imageTypesOf,
} from '../../../protocols/image-types.ts'
import type { Medium } from '../../../protocols/media-places.ts'
import { base64Of } from '../../../protocols/wire/byte-string.ts'
import { routesWithProviders } from '../../../upstream/routes.ts'
import { createSlotsByOwner } from '../../../utilities/slots.ts'
import { costsNothing, rejectUnpayable } from '../../bodies/arrival.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import type { TextBody } from './body.ts'

/** spec.md, Native generation request, has its own list ("Allowed image MIME types"), which is that of its provider. */
const ALLOWED_BY_CALLER = new Map([[gemini.name, GEMINI_IMAGE_TYPES]])

/** Each conversion takes up to a second of CPU, before the hold. */
const MAX_CONVERTED_IMAGES = 20

/**
 * Converts a body's images for its model. @param protocol the caller's
 * @returns the same object if all routes of the model accept all its images
 * @throws GatewayError invalid_request for an image that no route accepts and that cannot be decoded; insufficient_balance
 */
export async function withAcceptedImages(
  parts: CallParts,
  { caller }: Pick<Admitted, 'caller'>,
  { model, body, protocol }: { model: TextModel; body: TextBody; protocol: string },
): Promise<TextBody> {
  const lists = routesWithProviders(parts.catalogue(), model).map(({ provider }) => imageTypesOf(provider))
  const by_all = acceptedByAll(lists)
  if (!by_all) return body
  const others = await body.imagesBeyond(protocol, by_all)
  if (others.length === 0) return body
  // The surface itself refuses other types when it reads the request.
  const allowed = ALLOWED_BY_CALLER.get(protocol)
  if (others.some(({ mime_type }) => allowed?.includes(mime_type ?? '') === false)) return body
  if (!costsNothing(model)) await rejectUnpayable(caller.account, parts.bodies.accountOf)
  const plans = others.map((image) => planFor(image, by_all, lists))
  const converted = plans.filter((plan) => plan === 'convert').length
  if (converted > MAX_CONVERTED_IMAGES)
    throw invalidRequest(
      `The request has ${converted} images that must be converted for this model; at most ${MAX_CONVERTED_IMAGES} are. Send ${by_all.types.join(', ')}${by_all.takes_animations ? '' : ', not animated'}.`,
    )
  const changed: Medium[] = []
  for (const [index, image] of others.entries())
    changed.push(
      plans[index] === 'convert'
        ? await onePerAccount(caller.account.id, () => convertedFrom(image, lists))
        : withSniffedType(image),
    )
  const is_same = changed.every((image, index) => image === others[index])
  return is_same ? body : await body.withImages(protocol, by_all, changed)
}

/** Converts one image at a time per account: conversions are only paid with the call, so they may delay only their own account. */
const onePerAccount = createSlotsByOwner<number>(1)

type AcceptedTypes = readonly (ImageTypes | undefined)[]

function acceptedByAll(lists: AcceptedTypes): AcceptedImages | undefined {
  const [first, ...rest] = lists.filter((list) => list !== undefined)
  return (
    first && {
      types: first.types.filter((type) => rest.every(({ types }) => types.includes(type))),
      takes_animations: [first, ...rest].every(({ takes_animations }) => takes_animations),
    }
  )
}

/** Whether one of the routes may accept types that its documentation does not list. */
const isOpen = (lists: AcceptedTypes): boolean => lists.some((list) => !list?.is_documented)

const HEAD_CHARS = 64
const typeByBytes = ({ data }: Medium): string | undefined =>
  sniffReadable(Buffer.from(data.slice(0, HEAD_CHARS), 'base64'))

/** @throws GatewayError invalid_request for an image that no route accepts and that cannot be decoded */
function planFor(image: Medium, by_all: AcceptedImages, lists: AcceptedTypes): 'pass' | 'convert' {
  const found = typeByBytes(image)
  if (found !== undefined) {
    const is_taken = by_all.types.includes(found) && (by_all.takes_animations || !isAnimatedData(image.data))
    return is_taken ? 'pass' : 'convert'
  }
  if (isOpen(lists) || lists.some((list) => list?.types.includes(image.mime_type ?? ''))) return 'pass'
  throw invalidRequest(
    `An image of type ${(image.mime_type || 'unknown').slice(0, 64)} is not supported by this model. Send one of ${by_all.types.join(', ')}; TIFF and AVIF are converted.`,
  )
}

/** Returns the image with the type of its bytes, if they are recognized. */
function withSniffedType(image: Medium): Medium {
  const found = typeByBytes(image)
  return found === undefined || found === image.mime_type ? image : { ...image, mime_type: found }
}

/** @throws GatewayError as `reencode`, unless one of the routes may accept the original */
async function convertedFrom(image: Medium, lists: AcceptedTypes): Promise<Medium> {
  try {
    const { bytes, mime_type } = await reencode(Buffer.from(image.data, 'base64'))
    return { ...image, mime_type, data: base64Of(bytes) }
  } catch (error) {
    if (isOpen(lists)) return image
    throw error
  }
}
