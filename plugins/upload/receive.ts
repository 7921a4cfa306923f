// An upload: a form whose files are stored as they come, all of them or none.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { MemoryBudget } from '../../src/calls/bodies/memory-budget.ts'
import { withAdmission } from '../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { announcedBytes } from '../../src/http/body.ts'
import { readForm } from '../../src/http/multipart.ts'
import type { StoredFile } from '../../src/library/files.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { refuseUnstorable } from '../../src/library/library.ts'

/** As much as the largest body of the images' endpoints: a hundred small files or four large ones. */
const UPLOAD_BODY_LIMIT_BYTES = 100 * 1024 * 1024
const MAX_FILES = 100
/** spec.md, POST /api/v1/upload. */
const FIELD = 'files'

/**
 * The memory of all uploads at once. The runtime starts to read a body when it is first asked for it, and then reads as
 * fast as bytes come, whether the disk keeps up or not. So each upload reserves its whole size first (one that is larger
 * than the budget runs alone). After a while the reservation ends: a sender that slow is slower than any disk.
 */
export const UPLOADING_BYTES = 32 * 1024 * 1024
const RESERVED_MS = 2_000

/**
 * Takes in the files of one request. The key is checked before any of the body is read.
 * @returns the files, in the order of the form
 * @throws GatewayError for whatever is refused, and rate_limited if too many uploads wait; no file of the request is
 * kept then
 */
export const receiveFiles = (
  { calls, content: { images } }: Pick<Gateway, 'calls' | 'content'>,
  memory: MemoryBudget,
  origin: CallOrigin,
): Promise<StoredFile[]> =>
  withAdmission(calls, origin, async (call) => {
    const { caller, place } = call
    await images.decoder.assertUsable()
    refuseUnstorable(images.library)
    const intake = beginIntake(images.library, caller.account.id)
    call.defer(intake.abandon)
    const body_bytes = announcedBytes(origin.request, UPLOAD_BODY_LIMIT_BYTES)
    const share = await memory.take(body_bytes, place.gone.signal)
    const timer = setTimeout(share.release, RESERVED_MS)
    call.defer(() => {
      clearTimeout(timer)
      share.release()
    })

    /** While a file is decoded its sender has to wait, and is not to be cut off for it. */
    async function* awaitingDecoder(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      yield* content
      place.progressed('upstream')
    }

    let received = 0
    await readForm(origin.request, {
      body_limit_bytes: UPLOAD_BODY_LIMIT_BYTES,
      max_files: MAX_FILES,
      max_fields: 0,
      gone: place.gone.signal,
      onProgress: () => place.progressed('request'),
      field: refuseField,
      async file({ field, filename, content }) {
        if (field !== FIELD) refuseField(field)
        await intake.add({ filename, content: awaitingDecoder(content) })
        received += 1
      },
    })
    if (received === 0) throw invalidRequest(`${FIELD}: the form has no file.`, { param: FIELD })
    return await intake.commit()
  })

function refuseField(name: string): never {
  throw invalidRequest(`The form may have fields "${FIELD}" only, each with a file. Leave out the others.`, {
    param: name.slice(0, 64),
  })
}
