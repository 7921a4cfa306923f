// News for whoever listens.

/** `on` calls `hear` for each, until what it returns is called. */
export function createNews<News = void>() {
  const hearers = new Set<(news: News) => void>()
  return {
    tell(news: News): void {
      for (const hear of hearers) hear(news)
    },
    on(hear: (news: News) => void): () => void {
      hearers.add(hear)
      return () => void hearers.delete(hear)
    },
  }
}
