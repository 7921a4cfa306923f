// `try-images`, hidden: whether the image library loads, for the gateway's own start.
import type { Command } from 'commander'
import { loadLibrary } from '../../media/decoder.ts'
import { contextOf } from '../command-line/context.ts'
import type { CliDeps } from '../command-line/terminal.ts'
import { imageLibraryFailure, TRY_IMAGES } from '../process/image-library.ts'

export function addTryImagesCommand(program: Command, deps: CliDeps): void {
  program.command(TRY_IMAGES, { hidden: true }).action(async (_: unknown, command: Command) => {
    const { answer } = contextOf(command, deps)
    const failure = await imageLibraryFailure(loadLibrary)
    answer({ failure }, failure ?? 'the image library loads')
  })
}
