"""Slow, literal transcriptions of the paper's algorithms, for the fast code to be compared with.

Written from the paper, loops and all. The reading of its open points is the library's: samples of
unit norm, ties (within 1e-12) to the lowest index, every k of the dense stage reads the input.
"""

import numpy as np

TIE = 1e-12


def pearson(a, b):
    """Equation 3; 0 where a vector has no variance."""
    a, b = a - a.mean(), b - b.mean()
    below = np.sqrt((a**2).sum()) * np.sqrt((b**2).sum())
    return (a * b).sum() / below if below > 0 else 0.0


def imc(X, gamma_max, residual="as_printed", similarity="residual"):
    """Algorithm 1: picks (N, Γ) and what c_ij holds."""
    X = np.array(X, dtype=float)
    if residual == "centred":
        X = X - X.mean(axis=1, keepdims=True)
    for i in range(len(X)):
        if np.abs(X[i]).max() > 0:
            X[i] = X[i] / np.abs(X[i]).max()
            X[i] = X[i] / np.linalg.norm(X[i])
    constant = np.linalg.norm(X - X.mean(axis=1, keepdims=True), axis=1) < 1e-8
    n = len(X)
    picks = np.full((n, gamma_max), -1)
    values = np.zeros((n, gamma_max))
    for i in range(n):
        psi = X[i].copy()
        for gamma in range(gamma_max):
            if constant[i] or np.linalg.norm(psi - psi.mean()) < 1e-8:
                break
            rho = np.zeros(n)
            for j in range(n):
                if j != i and not constant[j]:
                    rho[j] = abs(pearson(psi, X[j]))
            if rho.max() <= 1e-10:
                break
            j = int(np.flatnonzero(rho >= rho.max() - TIE)[0])
            picks[i, gamma] = j
            values[i, gamma] = rho[j] if similarity == "residual" else abs(pearson(X[i], X[j]))
            psi = psi - (psi @ X[j]) * X[j]
    return picks, values


def pick(residual, Z, own):
    """The point most correlated with a residual, of unit norm each, −1 where none is."""
    norm = np.linalg.norm(residual)
    rho = np.abs(Z @ residual) / (norm if norm > 0 else 1.0)
    rho[own] = 0.0
    return int(np.flatnonzero(rho >= rho.max() - TIE)[0]) if rho.max() > 1e-10 else -1


def omp(X, n_nonzero):
    """OMP: C, row by row; the fit is solved anew after each pick."""
    X = np.array([x / np.linalg.norm(x) if x.any() else x for x in np.asarray(X, float)])
    C = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        chosen, residual, weights = [], X[i], np.empty(0)
        while len(chosen) < min(n_nonzero, X.shape[1]) and residual @ residual >= 1e-6:
            j = pick(residual, X, i)
            if j < 0 or j in chosen:
                break
            chosen.append(j)
            weights = np.linalg.lstsq(X[chosen].T, X[i])[0]
            residual = X[i] - weights @ X[chosen]
        C[i, chosen] = weights
    return C


def coefficients(picks, values):
    """C, where a point picked twice keeps the larger value."""
    n, gamma_max = picks.shape
    C = np.zeros((n, n))
    for i in range(n):
        for gamma in range(gamma_max):
            if picks[i, gamma] >= 0:
                C[i, picks[i, gamma]] = max(C[i, picks[i, gamma]], values[i, gamma])
    return C


def tur_condition(w_ik, w_kj, w_ij, theta1, theta2):
    """Definition 2, with the intervals of Definition 1 as printed."""

    def extremely_strong(w):
        return theta1 < w <= 1

    def strong(w):
        return theta2 < w <= theta1

    if extremely_strong(w_ik) and extremely_strong(w_kj) and not extremely_strong(w_ij):
        return 1
    if (
        extremely_strong(max(w_ik, w_kj))
        and strong(min(w_ik, w_kj))
        and not (strong(w_ij) or extremely_strong(w_ij))
    ):
        return 2
    if strong(w_ik) and strong(w_kj) and w_ij == 0:
        return 3
    return 0


def pce(W, theta1, theta2):
    """Algorithm 2: the largest value over k, and at least w_ij."""
    n = len(W)
    star = W.copy()
    for i in range(n):
        for j in range(n):
            for k in range(n):
                if i == j or k in (i, j):
                    continue
                case = tur_condition(W[i, k], W[k, j], W[i, j], theta1, theta2)
                if case == 1:
                    value = (W[i, k] + W[k, j]) / 2
                elif case == 2:
                    value = min(W[i, k], W[k, j])
                elif case == 3:
                    value = max(W[i, k], W[k, j]) / 2
                else:
                    value = W[i, j]
                star[i, j] = max(star[i, j], value)
    return star


def pce_as_it_goes(W, theta1, theta2, in_place):
    """Algorithm 2 with the last k winning: on one matrix as it changes, or reading the input."""
    n, star = len(W), W.copy()
    read = star if in_place else W
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(n):
                if k in (i, j):
                    continue
                a, b = read[i, k], read[k, j]
                case = tur_condition(a, b, read[i, j], theta1, theta2)
                if case:
                    value = {1: (a + b) / 2, 2: min(a, b), 3: max(a, b) / 2}[case]
                    star[i, j] = star[j, i] = value
    return star


def to_distance(w, transform):
    """Table 1, first step."""
    if transform == "D1":
        return 1 - w
    if w == 0:
        return np.inf
    return 1 - np.log(w) if transform == "D2" else 1 / w


def to_similarity(d, transform):
    """Table 1, last step."""
    if transform == "D1":
        return 1 - d
    return np.exp(1 - d) if transform == "D2" else 1 / d


def densify(W, transform, hops=1):
    """Algorithm 4: paths of at most ``hops`` intermediate points, one more in each pass."""
    n = len(W)
    D = np.array([[to_distance(w, transform) for w in row] for row in W])
    star = D.copy()
    for _ in range(hops):
        previous = star.copy()
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    if i != j and k not in (i, j):
                        star[i, j] = min(star[i, j], previous[i, k] + D[k, j])
    result = np.array([[to_similarity(d, transform) for d in row] for row in star])
    result[np.diag_indices(n)] = W.diagonal()
    return np.maximum(result, W)


def sinkhorn(W, self_weight):
    """Rows and columns of W + sI divided by their sums in turn; the diagonal dropped, largest 1."""
    A = W - np.diag(W.diagonal()) + self_weight * np.eye(len(W))
    rows, columns = np.ones(len(A)), np.ones(len(A))
    for _ in range(200_000):
        rows = 1 / (A @ columns)
        columns = 1 / (A.T @ rows)
        if np.abs(rows * (A @ columns) - 1).max() < 1e-14:
            break
    star = np.sqrt(np.outer(rows * columns, rows * columns)) * A
    star[np.diag_indices(len(A))] = 0
    return star / star.max() if star.any() else star


def diffusion(W, steps, neighbours):
    """The lazy walk from each point, of which the largest entries stay after every step."""
    n = len(W)
    W = W - np.diag(W.diagonal())
    degree = W.sum(axis=1)
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if W[i, j] > 0:
                S[i, j] = W[i, j] / np.sqrt(degree[i] * degree[j])
    A = np.eye(n)
    for i in range(n):
        for _ in range(steps):
            A[i] = (A[i] + A[i] @ S) / 2
            others = sorted((A[i, j] for j in range(n) if j != i), reverse=True)
            if len(others) > neighbours:
                least = (1 - 1e-9) * others[neighbours - 1]
                for j in range(n):
                    if j != i and A[i, j] < least:
                        A[i, j] = 0
    A[np.diag_indices(n)] = 0
    star = np.maximum(A, A.T)
    return star / star.max() if star.any() else star


def mutual(W, neighbours):
    """w_ij stays where at most k − 1 points are nearer to i than j, and the other way round."""
    n = len(W)
    star = W.copy()
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            nearer_i = sum(W[i, k] > W[i, j] for k in range(n) if k != i)
            nearer_j = sum(W[j, k] > W[i, j] for k in range(n) if k != j)
            if max(nearer_i, nearer_j) >= neighbours:
                star[i, j] = 0
    return star


def distance_to_span(x, points):
    """How far x is from the span of some points, by least squares."""
    weights = np.linalg.lstsq(points.T, x)[0]
    return np.linalg.norm(x - weights @ points)


def cut(W, labels, cluster):
    """Equation 6."""
    return sum(
        W[u, v]
        for u in range(len(W))
        for v in range(len(W))
        if labels[u] == cluster and labels[v] != cluster
    )


def vol(W, labels, cluster):
    """Equation 7."""
    return sum(
        W[u, t]
        for u in range(len(W))
        for t in range(len(W))
        if labels[u] == cluster and labels[t] == cluster
    )


def ncut(W, labels):
    """Equation 8."""
    return sum(cut(W, labels, c) / vol(W, labels, c) for c in sorted(set(labels)))


def accuracy(u, v):
    """Equation 14, over every map of clusters to classes."""
    from itertools import permutations

    clusters, classes = sorted(set(v)), sorted(set(u))
    width = max(len(clusters), len(classes))
    best = 0
    for image in permutations(range(width), len(clusters)):
        to_class = {c: classes[p] for c, p in zip(clusters, image, strict=True) if p < len(classes)}
        best = max(best, sum(to_class.get(b) == a for a, b in zip(u, v, strict=True)))
    return best / len(u)


def normalised_mutual_information(u, v):
    """Equation 15."""
    u, v = np.asarray(u), np.asarray(v)

    def entropy(x):
        p = np.array([np.mean(x == c) for c in sorted(set(x.tolist()))])
        return -(p * np.log(p)).sum()

    mutual = 0.0
    for a in set(u.tolist()):
        for b in set(v.tolist()):
            both = np.mean((u == a) & (v == b))
            if both > 0:
                mutual += both * np.log(both / (np.mean(u == a) * np.mean(v == b)))
    total = entropy(u) + entropy(v)
    return 2 * mutual / total if total > 0 else 1.0


def conn(W):
    """Second smallest eigenvalue of I − D^{-1/2} W D^{-1/2}; 0 with a point that has no edge."""
    degree = W.sum(axis=1)
    if (degree == 0).any():
        return 0.0
    L = np.eye(len(W)) - W / np.sqrt(np.outer(degree, degree))
    return float(np.linalg.eigvalsh(L)[1])


def products_from(q, blocks, b, floor, out):
    """What `search.vector.products_from` makes: |products|, and the bits from the floor on."""
    out[:] = np.abs(q @ blocks[b])
    return _bits(out >= floor)


def within(q, axes, g, floor, height, cosines, sines, out):
    """What `search.vector.within` makes: the bits of the cones that may reach the floor."""
    out[:] = np.abs(q @ axes[g])
    return _bits(out >= floor * cosines[g] - height * sines[g])


def lowest_bit(mask):
    return next(c for c in range(64) if mask >> c & 1)


def _bits(flags):
    return sum(1 << int(c) for c in np.flatnonzero(flags))


def ksubspaces(X, starts, dim):
    """K-subspaces from given starts, each a list of the samples that span each subspace."""
    best, tie = None, TIE * (X**2).sum(axis=1).max()
    for start in starts:
        bases = [np.linalg.svd(X[rows], full_matrices=False)[2][:dim] for rows in start]
        labels = None
        while True:
            far = [[((x - B.T @ (B @ x)) ** 2).sum() for B in bases] for x in X]
            # Ties, of a zero or of a point in two subspaces, go to the first.
            now = [int(np.flatnonzero(np.array(f) <= min(f) + tie)[0]) for f in far]
            if now == labels:
                break
            labels = now
            for c in range(len(bases)):
                own = X[[label == c for label in labels]]
                if len(own):
                    bases[c] = np.linalg.svd(own, full_matrices=False)[2][:dim]
        cost = sum(min(f) for f in far)
        if best is None or cost < best[0] - tie:
            best = cost, labels
    names = list(dict.fromkeys(best[1]))
    return [names.index(label) for label in best[1]]


def scattering(images, J, L, as_published=False):
    """Orders 0, 1 and 2 of Bruna and Mallat, convolution by convolution, with no pixel left out."""
    features = []
    if as_published:  # a black margin, as much on both sides
        more = [(-n % 2**J // 2, -n % 2**J - -n % 2**J // 2) for n in images.shape[1:]]
        images = np.pad(images, ((0, 0), *more))
    first, reflection = (2**J, "reflect") if as_published else (1.5 * 2**J - 0.5, "symmetric")
    rows, columns = (-(-n // 2**J) for n in images.shape[1:])
    size = (rows + 2) * 2**J, (columns + 2) * 2**J
    psi, phi = _wavelets(size, J, L)
    middles = [[(a * 2**J + first, b * 2**J + first) for b in range(columns)] for a in range(rows)]
    weights = np.array([[phi(middle) / phi(middle).sum() for middle in row] for row in middles])
    for image in images:
        pad = [((n - m) // 2, n - m - (n - m) // 2) for n, m in zip(size, image.shape, strict=True)]
        x = np.pad(image, pad, mode=reflection)
        ones = [(j, abs(_convolved(x, p))) for j in range(J) for p in psi[j]]
        twos = []
        for j in range(J):  # in the order of scales, then directions
            for k in range(j + 1, J):
                twos += [abs(_convolved(u, p)) for i, u in ones if i == j for p in psi[k]]
        maps = [x, *[u for _, u in ones], *twos]
        features.append([np.einsum("abhw,hw->ab", weights, u) for u in maps])
    return np.array(features)


def _convolved(x, kernel):
    return np.fft.ifft2(np.fft.fft2(x) * np.fft.fft2(kernel))


def _wavelets(size, J, L):
    """ψ by scale and direction, and φ around a place, on a torus of pixels."""
    down, across = np.meshgrid(*map(np.arange, size), indexing="ij")
    around = [(i * size[0], k * size[1]) for i in range(-2, 3) for k in range(-2, 3)]
    psi = []
    for j in range(J):
        scale = []
        for angle in np.pi * np.arange(L) / L:
            wave, envelope = np.zeros(size, complex), np.zeros(size)
            for i, k in around:
                a, b = down + i, across + k
                along = a * np.cos(angle) + b * np.sin(angle)
                beside = b * np.cos(angle) - a * np.sin(angle)
                g = np.exp(-(along**2 + beside**2 * (4 / L) ** 2) / (2 * (0.8 * 2**j) ** 2))
                wave += g * np.exp(1j * 3 * np.pi / 4 / 2**j * along)
                envelope += g
            wave -= envelope * wave.sum() / envelope.sum()
            scale.append(wave * (4 / L) / (2 * np.pi * (0.8 * 2**j) ** 2))
        psi.append(scale)
    sigma = 0.8 * 2 ** (J - 1)

    def phi(middle):
        return sum(
            np.exp(-((down + i - middle[0]) ** 2 + (across + k - middle[1]) ** 2) / (2 * sigma**2))
            for i, k in around
        )

    low = abs(np.fft.fft2(phi((0, 0)) / phi((0, 0)).sum())) ** 2
    high = sum(abs(np.fft.fft2(p)) ** 2 for scale in psi for p in scale)
    high = (high + np.roll(high[::-1, ::-1], 1, axis=(0, 1))) / 2
    strong = high > 1e-6 * high.max()
    factor = np.sqrt(((1 - low[strong]) / high[strong]).min())
    return [[factor * p for p in scale] for scale in psi], phi


def spread_seeds(rows, n_clusters, rng):
    """Arthur and Vassilvitskii (2007): each seed drawn by the squared distance to the nearest."""
    chosen = [int(rng.integers(len(rows)))]
    while len(chosen) < n_clusters:
        d = np.array([min(((x - rows[c]) ** 2).sum() for c in chosen) for x in rows])
        chosen.append(int(rng.choice(len(rows), p=d / d.sum())))
    return rows[chosen]
