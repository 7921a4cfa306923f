// The inline images of a text request as its model takes them: others are made into PNG or JPEG before anything is priced.
import type { TextModel } from '../../../domain/catalogue.ts'
import { invalidRequest } from '../../../domain/errors.ts'
import { isAnimatedData } from '../../../media/animation.ts'
import { reencode, sniffReadable } from '../../../media/sendable.ts'
import { gemini } from '../../../protocols/gemini/index.ts'
import {
  GEMINI_IMAGE_TYPES,
  type ImageTypes,
  imageTypesOf,
  type TakenImages,
} from '../../../protocols/image-types.ts'
import type { Medium } from '../../../protocols/media-places.ts'
import { base64Of } from '../../../protocols/wire/byte-string.ts'
import { routesWithProviders } from '../../../upstream/routes.ts'
import { createSlotsByOwner } from '../../../utilities/slots.ts'
import { costsNothing, rejectUnpayable } from '../../bodies/arrival.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import type { TextBody } from './body.ts'

/** spec.md, Native generation request, has a list of its own ("Allowed image MIME types"), which is what its provider takes. */
const ALLOWED_BY_CALLER = new Map([[gemini.name, GEMINI_IMAGE_TYPES]])

/** Each takes up to a second of a processor, and comes before anything is held. */
const MAX_CONVERTED_IMAGES = 20

/**
 * For a body that has images. @param protocol the caller's
 * @returns the very same body where all its images are taken by all of the model's routes
 * @throws GatewayError invalid_request for an image that no route takes and that cannot be decoded; insufficient_balance
 */
export async function withTakenImages(
  parts: CallParts,
  { caller }: Pick<Admitted, 'caller'>,
  { model, body, protocol }: { model: TextModel; body: TextBody; protocol: string },
): Promise<TextBody> {
  const lists = routesWithProviders(parts.catalogue(), model).map(({ provider }) => imageTypesOf(provider))
  const by_all = takenByAll(lists)
  if (!by_all) return body
  const others = await body.imagesBeyond(protocol, by_all)
  if (others.length === 0) return body
  // The surface refuses other types itself when the request is read.
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
        ? await inTurn(caller.account.id, () => convertedFrom(image, lists))
        : renamed(image),
    )
  const is_same = changed.every((image, index) => image === others[index])
  return is_same ? body : await body.withImages(protocol, by_all, changed)
}

/** One at a time for each account: an account with many images, which are only paid with the call, waits for its own. */
const inTurn = createSlotsByOwner<number>(1)

type Lists = readonly (ImageTypes | undefined)[]

function takenByAll(lists: Lists): TakenImages | undefined {
  const [first, ...rest] = lists.filter((list) => list !== undefined)
  return (
    first && {
      types: first.types.filter((type) => rest.every(({ types }) => types.includes(type))),
      takes_animations: [first, ...rest].every(({ takes_animations }) => takes_animations),
    }
  )
}

/** Whether one of the routes may take types that no document lists. */
const isOpen = (lists: Lists): boolean => lists.some((list) => !list?.is_documented)

const HEAD_CHARS = 64
const typeByBytes = ({ data }: Medium): string | undefined =>
  sniffReadable(Buffer.from(data.slice(0, HEAD_CHARS), 'base64'))

/** @throws GatewayError invalid_request for an image that no route takes and that cannot be decoded */
function planFor(image: Medium, by_all: TakenImages, lists: Lists): 'pass' | 'convert' {
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

/** The same image under the type of its bytes, where they are recognized. */
function renamed(image: Medium): Medium {
  const found = typeByBytes(image)
  return found === undefined || found === image.mime_type ? image : { ...image, mime_type: found }
}

/** @throws GatewayError as `reencode`, unless one of the routes may read the image itself */
async function convertedFrom(image: Medium, lists: Lists): Promise<Medium> {
  try {
    const { bytes, mime_type } = await reencode(Buffer.from(image.data, 'base64'))
    return { ...image, mime_type, data: base64Of(bytes) }
  } catch (error) {
    if (isOpen(lists)) return image
    throw error
  }
}
