// An answer that is sent in the pieces that it consists of, each when there is room for it.

/** @param done called once, when the last piece was taken or the reader has left */
export function pieceByPiece(pieces: readonly Uint8Array[], done: () => void): ReadableStream<Uint8Array> {
  const left = pieces.values()
  return new ReadableStream({
    pull(controller) {
      const { value } = left.next()
      if (value) return controller.enqueue(value)
      done()
      controller.close()
    },
    cancel: done,
  })
}
