--------------------------------- MODULE SVG --------------------------------
\* Pictures in SVG. An element is a record of its name, its attributes (a function from strings to strings, << >> for none), its children and its
\* text.
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
LOCAL INSTANCE Sequences

\* The attributes that the shape itself has, and the others that are given.
LOCAL With(own, more) == [k \in DOMAIN own \cup DOMAIN more |-> IF k \in DOMAIN own THEN own[k] ELSE more[k]]

SVGElem(_name, _attrs, _children, _innerText) ==
    [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

LOCAL Shape(name, own, attrs) == SVGElem(name, With(own, attrs), << >>, "")

\* Coordinates and sizes are integers.
Line(x1, y1, x2, y2, attrs) ==
    Shape("line", [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)], attrs)
Circle(cx, cy, r, attrs) ==
    Shape("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)], attrs)
Rect(x, y, w, h, attrs) ==
    Shape("rect", [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)], attrs)
Text(x, y, text, attrs) ==
    SVGElem("text", With([x |-> ToString(x), y |-> ToString(y)], attrs), << >>, text)
Image(x, y, width, height, href, attrs) ==
    Shape("image",
          With([x |-> ToString(x), y |-> ToString(y), width |-> ToString(width), height |-> ToString(height)], "xlink:href" :> href),
          attrs)

\* Elements that hold others.
Group(children, attrs) == SVGElem("g", attrs, children, "")
Svg(children, attrs) == SVGElem("svg", attrs, children, "")

\* A whole picture; vbX, vbY, vbW, vbH is the part of the plane that it shows.
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
    LET view == ToString(vbX) \o " " \o ToString(vbY) \o " " \o ToString(vbW) \o " " \o ToString(vbH)
        own == "viewBox" :> view @@ "xmlns" :> "http://www.w3.org/2000/svg" @@ "xmlns:xlink" :> "http://www.w3.org/1999/xlink"
    IN  Svg(<<children>>, With(own, attrs))

\* An element as text.
SVGElemToString(elem) == CASE FALSE -> elem

\* Where the n-th of m nodes is, on a circle around cx, cy with radius r.
NodeOfRingNetwork(cx, cy, r, n, m) == CASE FALSE -> <<cx, cy, r, n, m>>

\* Where to draw the nodes of a graph, as a function to records of x and y.
NodesOfDirectedMultiGraph(nodes, edges, options) == CASE FALSE -> <<nodes, edges, options>>

\* The point at one segment-th of the way.
PointOnLine(from, to, segment) ==
    [x |-> from.x + (to.x - from.x) \div segment, y |-> from.y + (to.y - from.y) \div segment]

\* Write the picture to the file "<prefix><number, three digits at least>.svg".
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
    LET IO == INSTANCE IOUtils
    IN  IO!Serialize(SVGElemToString(svg),
                     frameNamePrefix \o IO!zeroPadN(frameNumber, 3) \o ".svg",
                     [format |-> "TXT", charset |-> "UTF-8", openOptions |-> <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>])
=============================================================================
