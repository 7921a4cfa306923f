// The turn of a large message, which is read for welcome callers only: as a small one, it waits for what its lane has under way.
import type { Lanes } from './lanes.ts'

/**
 * Resolves once the call of a message could be let in. What refuses it may be the calls before it: their place, their money. So it is
 * asked for again whenever a call of the connection ends, until the lane is free.
 * @param lane of the message; undefined where only reading it tells: then every lane is waited for
 * @throws whatever `assertWelcome` throws once the lane is free
 */
export async function awaitWelcome(
  lanes: Pick<Lanes<unknown>, 'isFree' | 'next_end'>,
  lane: string | undefined,
  assertWelcome: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const is_last_try = lanes.isFree(lane)
    const { next_end } = lanes
    try {
      await assertWelcome()
      return
    } catch (thrown) {
      if (is_last_try) throw thrown
    }
    await next_end
  }
}
