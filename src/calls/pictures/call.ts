// Paid calls in a conversation: the model's kind decides between a text call and an image call.
import type { Awaitable } from '../../store/db.ts'
import { after } from '../../utilities/after.ts'
import type { CallTarget } from '../bodies/arrival.ts'
import { type ImageParts, imageCalls } from '../kinds/image/call.ts'
import type { PaidImageOrder } from '../kinds/image/order.ts'
import { countCall, type OnRate } from '../kinds/image/rate.ts'
import type { TextBody } from '../kinds/text/body.ts'
import { openText, readOpened, textCalls } from '../kinds/text/call.ts'
import type { TextCall } from '../kinds/text/order.ts'
import { readTextBody } from '../kinds/text/read-body.ts'
import { findModel, withAdmission } from '../life/admission.ts'
import type { Admitted } from '../life/call.ts'
import { payOnce } from '../life/paid-call.ts'
import type { CallParts } from '../parts.ts'
import { writePictures } from './answer.ts'
import { orderFrom } from './read.ts'

interface ConversationCall extends TextCall {
  /** Called for an image model's call, which counts against the image rate. */
  onRate?: OnRate
}

type ServeConversation = (parts: CallParts, call: ConversationCall) => Promise<Response>

/**
 * Serves paid calls in conversations, as `servePaid` does for one kind. Images are held, charged, kept and limited as those of
 * the image endpoints; only the request and the answer have the form of a conversation.
 */
export function createConversationServer(images: ImageParts): ServeConversation {
  const pictures = imageCalls(images)

  /** @param open reads the body; the call is counted before that */
  async function generate(
    parts: CallParts,
    admitted: Admitted,
    call: ConversationCall,
    open: () => Awaitable<PictureRequest>,
  ): Promise<Response> {
    await images.decoder.assertUsable()
    await countCall(parts, images.rate, admitted, call.onRate)
    const order = await readPicture(parts, images, admitted, call, await open())
    return payOnce(parts, admitted, order, pictures)
  }

  return (parts, call) =>
    withAdmission(parts, call.origin, (admitted) => {
      const { target } = call
      if (typeof target !== 'function' && isImageModel(parts, target))
        return generate(parts, admitted, call, () => openPicture(parts, admitted, call, target))
      return openText(parts, admitted, call).then((opened) =>
        isImageModel(parts, opened.target)
          ? generate(parts, admitted, call, () => opened)
          : after(readOpened(parts, admitted, call, opened), (order) =>
              payOnce(parts, admitted, order, textCalls),
            ),
      )
    })
}

const isImageModel = ({ catalogue }: CallParts, { model_id }: CallTarget): boolean =>
  catalogue().models.get(model_id)?.kind === 'image'

interface PictureRequest {
  body: TextBody
  target: CallTarget
}

/** Opens a request whose URL names the model. */
const openPicture = (
  parts: CallParts,
  admitted: Admitted,
  { protocol, body_limit_bytes: limit_bytes }: TextCall,
  target: CallTarget,
): Promise<PictureRequest> =>
  readTextBody(parts, admitted, {
    protocol,
    limit_bytes,
    model_id: target.model_id,
    isFree: () => false,
  }).then((body) => ({ body, target }))

/** Reads the order, and waits for memory for the request's images. @throws GatewayError for an invalid request */
async function readPicture(
  parts: CallParts,
  { memory }: ImageParts,
  admitted: Admitted,
  call: TextCall,
  { body, target: { model_id, streams } }: PictureRequest,
): Promise<PaidImageOrder> {
  const { place, started_ms } = admitted
  const model = findModel(parts, admitted, model_id, 'image')
  const request = await body.conversation(call.protocol.name, streams)
  const wanted = orderFrom(request, model, [body.content])
  const dialect = call.dialect(body.fields)
  admitted.defer((await memory.take(wanted.kept_bytes, place.gone.signal)).release)
  const context = {
    id: admitted.origin.request_id,
    model: model_id,
    created_s: Math.floor(started_ms / 1000),
    shows_usage: dialect.shows_usage,
  }
  const with_text = request.images ? request.images.with_text : true
  return {
    model,
    // The answer is written whole after payment, even if a stream was requested.
    streams: false,
    content: wanted.content,
    wanted,
    references: [],
    partial_images: 0,
    write: ({ images, tokens }) =>
      writePictures(images, tokens?.usage, { origin: call.origin, dialect, context, streams, with_text }),
  }
}
