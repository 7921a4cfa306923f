// The check of the image library: this process's user can unpack and load it.
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import {
  hasImageModels,
  IMAGE_LIBRARY_ADVICE,
  imageLibraryFailure,
} from '../../../src/app/process/image-library.ts'
import { loadLibrary } from '../../../src/media/decoder.ts'

const { fail, ok, warn } = diagnosesOf('images')

/** @param load loads the library; tests replace it */
export async function checkImageLibrary(
  { catalogue }: Pick<ReadContext, 'catalogue'>,
  load: () => Promise<unknown> = loadLibrary,
): Promise<Diagnosis[]> {
  const failure = await imageLibraryFailure(load)
  if (failure === null) return [ok('the image library loads')]
  return hasImageModels(catalogue)
    ? [fail(`image calls and uploads are refused: ${failure}`, IMAGE_LIBRARY_ADVICE)]
    : [warn(`uploads are refused: ${failure}`, IMAGE_LIBRARY_ADVICE)]
}
