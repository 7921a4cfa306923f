// Reception of an upload: the files of a form are stored as they arrive, all or none.
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

/** The same limit as the largest body of the image endpoints: a hundred small files or four large ones. */
const UPLOAD_BODY_LIMIT_BYTES = 100 * 1024 * 1024
const MAX_FILES = 100
/** spec.md, POST /api/v1/upload. */
const FIELD = 'files'

/**
 * The memory for all uploads together. Once Bun starts to read a body, it reads as fast as bytes arrive, even if the disk is slower. So
 * each upload first reserves its whole size (an upload larger than the budget runs alone). The reservation ends after RESERVED_MS,
 * because a sender that needs longer is slower than the disk.
 */
export const UPLOADING_BYTES = 32 * 1024 * 1024
const RESERVED_MS = 2_000

/**
 * Receives the files of one request, after it has checked the key.
 * @returns the files, in the order of the form
 * @throws GatewayError for a refused request, and rate_limited if too many uploads wait; no file is kept then
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

    /** Resets the idle timeout after each file, because the sender waits while it is decoded. */
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
