// One picture drawn in the course of an answer: a paid image call of its own, kept in the history, under the images' rate.
import type { ImageModel } from '../../domain/catalogue.ts'
import { type ImageParts, imageCalls } from '../kinds/image/call.ts'
import { carryingFields } from '../kinds/image/carrying.ts'
import type { Drawn } from '../kinds/image/drawn.ts'
import { type ImageOrder, inlineBytes, kindBy, type Source } from '../kinds/image/order.ts'
import { countNow } from '../kinds/image/rate.ts'
import type { Admitted } from '../life/call.ts'
import { payPart } from '../life/several-calls.ts'
import type { ExchangeParts } from '../parts.ts'

/** What it is to look like, whatever it shows. */
export type PictureShape = Pick<
  ImageOrder,
  | 'size_text'
  | 'size'
  | 'quality'
  | 'background'
  | 'output_format'
  | 'output_compression'
  | 'input_fidelity'
  | 'moderation'
  | 'mask_source'
>

export interface PictureWish {
  /** The id of its record. */
  request_id: string
  /** The id of the picture. */
  uuid: string
  model: ImageModel
  prompt: string
  /** What it is to be made from; at most three. */
  sources: readonly Source[]
  shape: PictureShape
}

/**
 * Draws, charges and stores it.
 * @throws GatewayError as an image endpoint does; nothing is charged then
 */
export async function drawPicture(
  parts: ExchangeParts,
  images: ImageParts,
  admitted: Admitted,
  { request_id, uuid, model: asked, prompt, sources, shape }: PictureWish,
): Promise<Drawn> {
  let drawn: Drawn | undefined
  const { mask_source, input_fidelity, moderation, ...rest } = shape
  // A mask is of one image.
  const mask = sources.length === 1 ? mask_source : undefined
  const wanted: ImageOrder = {
    ...rest,
    kind: kindBy(sources.length),
    model_id: asked.id,
    prompt,
    count: 1,
    aspect_ratio: undefined,
    sources,
    // Fidelity is to images that there are, and is priced for them alone; moderation is of what is drawn anew.
    input_fidelity: sources.length > 0 ? input_fidelity : undefined,
    moderation: sources.length === 0 ? moderation : undefined,
    mask_source: mask,
    content: [],
    kept_bytes: inlineBytes(mask ? [...sources, mask] : sources),
  }
  await payPart(parts, admitted, {
    request_id,
    kind: imageCalls(images),
    async read(part) {
      await images.decoder.assertUsable()
      await countNow(parts, images.rate, admitted)
      part.defer((await images.memory.take(wanted.kept_bytes, part.place.gone.signal)).release)
      const model = await carryingFields(parts, asked, wanted)
      return {
        model,
        streams: false,
        content: [],
        wanted,
        references: [],
        partial_images: 0,
        uuids: [uuid],
        write({ images: [first] }) {
          drawn = first
          return new Response(null)
        },
      }
    },
  })
  if (!drawn) throw new Error('a picture was paid for, and not drawn')
  return drawn
}
