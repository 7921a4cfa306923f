// The check of the image library: the user of this process can unpack and load it.

import { diagnosesOf, type ReadPatient } from '../../../src/app/checks/check.ts'
import { hasImageModels, IMAGE_LIBRARY } from '../../../src/app/process/image-library.ts'
import type { Diagnosis } from '../../../src/app/surface/diagnosis.ts'
import { loadLibrary } from '../../../src/media/decoder.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'

const { fail, ok, warn } = diagnosesOf(IMAGE_LIBRARY)

const ADVICE =
  'Give the gateway’s user a folder that it can write to and run programs from (no `noexec`), with XDG_CACHE_HOME or TMPDIR, or in a ' +
  'container with --tmpfs /tmp:exec. From source: `bun install`. Then restart.'

/** @param load as the gateway loads it */
export async function checkImageLibrary(
  { catalogue }: Pick<ReadPatient, 'catalogue'>,
  load: () => Promise<unknown> = loadLibrary,
): Promise<Diagnosis[]> {
  try {
    await load()
    return [ok('the image library loads')]
  } catch (reason) {
    const found = messageOf(reason)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ')
    return hasImageModels(catalogue)
      ? [fail(`image calls and uploads are refused: ${found}`, ADVICE)]
      : [warn(`uploads are refused: ${found}`, ADVICE)]
  }
}
