// The count of streams that have more to come: what keeps the event loop waiting keeps their events.

/** Of this process, which has one event loop. */
export const flowing = { streams: 0 }
